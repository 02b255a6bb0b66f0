// Wires everything by hand: the only file that sees the store, the keys, the wire and the configuration together.
// Imports that only a service needs are dynamic, so that each command and each thread loads only what it uses.
import { certificateSourcesOf } from './client-certificates.ts'
import { type CheckKey, ensureSigningKey, keepingOf, keyOf, makerOf, makersUnder, refuseWrongKey } from './keys.ts'
import { type FaultLog, makeFaultLog, makeLogger } from './log.ts'
import {
  type Connected,
  connectToStore,
  makeStore,
  nameOfStore,
  openStore,
  resetClockOf,
  type Store,
  type StoreHost,
  type StoreVersions,
  verifyAuditOf,
} from './store.ts'
import { signInOf } from './sign-in.ts'
import { auditSealsOf, sealKeysOf } from './seals.ts'
import { settingsHere, settingsOf } from './settings.ts'
import { countThreadEnd, makeThreadEndCells, type ThreadEndCells, withThreadEnds } from './thread-ends.ts'
import { timingOf } from './timing.ts'
import { tracePorts } from './traces.ts'
import { openKeySets, verifiersOf } from './verification.ts'
import { openProcessMetrics, type ProcessMetrics } from './metrics.ts'
import type { CommandConfig, MigrateConfig, ServiceConfig, StoreConfig } from '../config/config.ts'
import { LIFETIMES_MAX } from '../domain/clients/agent.ts'
import { actBy, type CliCaller, type Origin } from '../domain/caller.ts'
import type { RestoreState } from '../domain/restore.ts'
import type { AuditVerdict, KnownSeal, Seal } from '../domain/audit/seal.ts'
import { DAY_MS } from '../../../api/values/time.ts'
import { auditSealKey, keyEncryptionKeyId } from '../keys/at-rest/sealed-bytes.ts'
import { readRegisteredKeys } from '../keys/clients/registered-keys.ts'
import { clientCertificates as certificates } from '../keys/clients/client-certificates.ts'
import { makeDpopProofs } from '../keys/clients/dpop-proofs.ts'
import { makeImportedSecrets, makeSecrets, randomness } from '../keys/clients/secrets.ts'
import { makePlanSigning } from '../keys/at-rest/plan-signing.ts'
import { makeTokenCodec, makeTokenReader } from '../keys/tokens/token-codec.ts'
import type { KeySets } from '../ports/key-sets.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Timing } from '../ports/timing.ts'
import { NO_TRACES, type Traces } from '../ports/traces.ts'
import type { Ports } from '../ports/ports.ts'
import { StartRefused } from '../config/start-refused.ts'
import { monotonicMs } from '../store/monotonic.ts'
import type { ClockCells } from '../store/sqlite/connection/clock.ts'
import type { StoreMaker } from '../store/store-options.ts'

export type Service = {
  /** Serving threads connect to it. */
  readonly host: StoreHost
  /** Serving threads verify JWTs of other issuers with it. */
  readonly keySets: KeySets
  readonly ports: Ports
  /** The providers whose operators `ports` recognizes from then on. */
  readonly replaceProviders: Verifiers['replaceProviders']
  /** Counts and logs errors of background work. */
  readonly report: FaultLog
  /** Of the writing thread; serving threads add theirs. */
  readonly threadEnds: ThreadEndCells
  /** Of the process; serving threads record too. */
  readonly metrics: ProcessMetrics
  /** The last restore of the store, if there was one. */
  readonly restoreState: () => Promise<RestoreState | undefined>
  readonly close: () => Promise<void>
}

const secrets = makeSecrets(randomness)

/** A command makes and uses a plan in one process, and opens the store for each of the two. */
const planSigning = makePlanSigning(randomness.bytes(32))

const ofCommands = timingOf()

// A command acts once: it opens the store without the maintenance of a service.
export const openForCommand = (config: StoreConfig): Promise<Store> =>
  openStore(config, { timing: { ...ofCommands, storeMs: ofCommands.commandStoreMs }, retention: null })

type Opened = Pick<Service, 'report' | 'threadEnds' | 'metrics'> & { readonly store: Store }

const openForService = async (config: ServiceConfig, timing: Timing): Promise<Opened> => {
  const { expiredDays, endedDays } = config.retention
  const retention = { expiredMs: expiredDays * DAY_MS, endedMs: endedDays * DAY_MS }
  const logger = await makeLogger(config)
  const metrics = await openProcessMetrics(config.metrics, timing)
  const report = makeFaultLog({ logger, timing, metrics: metrics.main })
  const key = keyOf(config)
  const sealing = {
    key: { bytes: auditSealKey(key), keyEncryptionKeyId: keyEncryptionKeyId(key) },
    // Stored elsewhere, as logs are, a head proves the content of the store: `mintmark audit verify --seal N --head HEX`.
    onSeal: (seal: Seal): void => logger.info(seal, 'audit entries sealed'),
  }
  const threadEnds = makeThreadEndCells()
  const onFault: FaultLog = (task, fault) => {
    if (task === 'writing thread') countThreadEnd(threadEnds, metrics.main, 'writing')
    report(task, fault)
  }
  const store = await openStore(config, {
    timing,
    retention,
    sealing,
    keys: keepingOf(config),
    onFault,
    metrics: metrics.main,
    addMetrics: metrics.addThread,
  })
  return { store, report, threadEnds, metrics }
}

/** The administration of the local store for the command line; it opens no port. */
export const openAdministration = async (config: CommandConfig, origin: Origin<CliCaller>) => {
  // Loaded while the writing thread starts.
  const loading = import('../http/admin/direct.ts')
  const store = await openForCommand(config)
  const { baseUrl, defaultAudience, tokenLifetimeSeconds: lifetimeSeconds } = config
  const profile = { issuer: baseUrl ?? '', defaultAudience, lifetimeSeconds }
  const codec = baseUrl === null ? null : makeTokenReader(baseUrl)
  const makers = await makersUnder(store, config)
  const assertions = { readKeys: readRegisteredKeys }
  const own = { secrets, planSigning, randomness, assertions, certificates, monotonic: monotonicMs, profile, codec }
  const ports = { ...store, ...makers, ...own, timing: ofCommands, settings: settingsHere }
  const { makeDirect } = await loading
  return { ...makeDirect(ports, origin), close: store.close }
}

const OTHER_MAKER: Readonly<Record<StoreMaker, string>> = {
  migrate:
    'was made by `mintmark dev`, whose secrets lie beside it; set MINTMARK_DATA_DIR to another folder and run `mintmark migrate` there.',
  dev: 'was made by `mintmark migrate` for `mintmark serve`; set MINTMARK_DATA_DIR to another folder.',
}

const refuseOtherMaker = (store: Store, config: StoreConfig, maker: StoreMaker): void => {
  if (store.madeBy !== maker) throw new StartRefused(`${nameOfStore(config)} ${OTHER_MAKER[maker]}`)
}

/** Creates the store or migrates it to this version, and creates the first signing key, once. */
export const migrateStore = async (config: MigrateConfig): Promise<StoreVersions> => {
  const versions = await makeStore(config, 'migrate')
  const store = await openForCommand(config)
  try {
    refuseOtherMaker(store, config, 'migrate')
    await ensureSigningKey(store, config)
    return versions
  } finally {
    await store.close()
  }
}

type Verifiers = Awaited<ReturnType<typeof verifiersOf>>

const nothing = (): void => undefined

const withoutEvidence = (usage: Ports['usage']): Ports['usage'] => ({
  ...usage,
  afterAnswers: nothing,
  countActive: nothing,
  countInactive: nothing,
  countReported: nothing,
})

type PartsOfPorts = {
  readonly store: Connected | Store
  readonly verifiers: Verifiers
  readonly timing: Timing
}

const portsOf = (config: ServiceConfig, { store, verifiers, timing }: PartsOfPorts): Ports => ({
  ledger: store.ledger,
  revocations: store.revocations,
  agents: store.agents,
  apiKeys: store.apiKeys,
  credentials: store.credentials,
  leakedSecrets: store.leakedSecrets,
  imports: store.imports,
  signingKeys: store.signingKeys,
  signingKeyMaker: makerOf(config),
  audit: store.audit,
  auditSeals: auditSealsOf(store, keyOf(config)),
  health: store.health,
  usage: config.useEvidence ? store.usage : withoutEvidence(store.usage),
  feed: store.feed,
  verifiers: store.verifiers,
  codec: makeTokenCodec({ issuer: config.baseUrl, keyEncryptionKey: keyOf(config) }),
  proofs: makeDpopProofs(keyOf(config)),
  planSigning: makePlanSigning(keyOf(config)),
  assertions: verifiers.assertions,
  operators: verifiers.operators,
  sessions: store.sessions,
  settings: settingsOf(config, verifiers.providers),
  signIn: signInOf(config, timing, verifiers.metrics),
  certificates,
  secrets,
  importedSecrets: makeImportedSecrets(keyOf(config), timing, verifiers.metrics),
  randomness,
  monotonic: monotonicMs,
  timing,
  profile: {
    issuer: config.baseUrl,
    defaultAudience: config.defaultAudience,
    lifetimeSeconds: config.tokenLifetimeSeconds,
    scopesSupported: config.scopesSupported,
    dpopNonce: config.dpopNonce,
    certificates: certificateSourcesOf(config.clientCertificates),
    signingAlgorithm: config.signingKeys.algorithm,
  },
})

const refuseLifetime = async (store: Store, seconds: number): Promise<void> => {
  const inUse = await store.agents.lifetimes()
  if (inUse.length < LIFETIMES_MAX || inUse.includes(seconds)) return
  throw new StartRefused(
    `MINTMARK_TOKEN_LIFETIME_SECONDS is ${seconds}, but ${LIFETIMES_MAX} other lifetimes are in use, the most there can be; choose one of ${inUse.join(', ')}.`,
  )
}

type Opening = { readonly maker: StoreMaker; readonly checkKey: CheckKey; readonly timing: Timing }

const openFor = async (config: ServiceConfig, { maker, checkKey, timing }: Opening): Promise<Service> => {
  const { store, report, threadEnds, metrics } = await openForService(config, timing)
  try {
    refuseOtherMaker(store, config, maker)
    await checkKey(store, config)
    await refuseLifetime(store, config.tokenLifetimeSeconds)
    const keySets = await openKeySets(config, timing, metrics.main)
    const verifiers = await verifiersOf(config, { keySets, timing, metrics: metrics.main })
    const health = withThreadEnds(store.health, threadEnds)
    const ports = { ...portsOf(config, { store, verifiers, timing }), health }
    metrics.follow(store.facts, report)
    const restoreState = () => store.restores.state()
    const close = async (): Promise<void> => {
      await metrics.close()
      await store.close()
    }
    const own = { replaceProviders: verifiers.replaceProviders, report, threadEnds, metrics, restoreState, close }
    return { host: store.host, keySets, ports, ...own }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens a migrated store, and checks the key-encryption key. */
export const openService = (config: ServiceConfig, timing: Timing): Promise<Service> =>
  openFor(config, { maker: 'migrate', checkKey: refuseWrongKey, timing })

/** Opens the store of `mintmark dev`, and creates whatever is missing. */
export const openDevService = async (config: ServiceConfig, timing: Timing): Promise<Service> => {
  await makeStore(config, 'dev')
  return openFor(config, { maker: 'dev', checkKey: ensureSigningKey, timing })
}

type ThreadOptions = {
  readonly clock: ClockCells | null
  readonly keySets: KeySets
  readonly report: FaultLog
  readonly metrics: Metrics
  readonly traces?: Traces
  readonly timing: Timing
}

/** The ports of a serving thread. It can write once `connect` has received a port to the writing thread, if there is one. */
export const connectPorts = async (config: ServiceConfig, options: ThreadOptions) => {
  const { clock, keySets, report, metrics, traces = NO_TRACES, timing } = options
  const verifiers = await verifiersOf(config, { keySets, timing, metrics })
  const store = await connectToStore(config, clock, { onFault: report, metrics, traces, timing })
  const disconnect = async (): Promise<void> => {
    await store.settle()
    await store.close()
  }
  const { replaceProviders } = verifiers
  const ports = tracePorts(portsOf(config, { store, verifiers, timing }), traces)
  return { ports, replaceProviders, connect: store.connect, disconnect }
}

/** Accepts the machine's clock, and ends every live token so that none comes back. */
export const resetStoreClock = (config: StoreConfig, origin: Origin): Promise<void> =>
  resetClockOf(config, actBy(origin, 'clock.reset'))

/** Checks the audit log against its seals, under the key-encryption key that sealed it. */
export const verifyStoreAudit = async (config: MigrateConfig, known: KnownSeal): Promise<AuditVerdict> => {
  const store = await openForCommand(config)
  try {
    await refuseWrongKey(store, config)
  } finally {
    await store.close()
  }
  return verifyAuditOf(config, { ...sealKeysOf(keyOf(config)), known })
}
