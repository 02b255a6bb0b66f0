// Puts a service together by hand, of the store, the keys and the configuration.
// Imports that only a service needs are dynamic, so that each thread loads only what it uses.
import type { Logger } from 'pino'
import { certificateSourcesOf } from './client-certificates.ts'
import { type Clocks, MACHINE, type ManualClock, monotonicMs } from '../store/clocks.ts'
import { auditSealsOf, type CheckKey, ensureSigningKey, keepingOf, keyOf, makerOf, refuseWrongKey } from './keys.ts'
import { type FaultLog, makeFaultLog, makeLogger } from './log.ts'
import { openProcessMetrics, type ProcessMetrics } from './metrics.ts'
import { settingsOf } from './settings.ts'
import {
  type Connected,
  connectToStore,
  makeStore,
  openStore,
  refuseOtherMaker,
  type Store,
  type StoreHost,
} from './store.ts'
import { countThreadEnd, makeThreadEndCells, type ThreadEndCells, withThreadEnds } from './thread-ends.ts'
import { timingOf } from './timing.ts'
import { tracePorts } from './traces.ts'
import { openKeySets, foreignJwtsOf } from './verification.ts'
import type { ServiceConfig } from '../config/config.ts'
import { StartRefused } from '../config/start-refused.ts'
import type { Seal } from '../domain/audit/seal.ts'
import { LIFETIMES_MAX } from '../domain/clients/agent.ts'
import type { RestoreState } from '../domain/restore.ts'
import { DAY_MS } from '../../../api/values/time.ts'
import { auditSealKey, keyEncryptionKeyId, makePlanSigning } from '../keys/at-rest/sealed-bytes.ts'
import { clientCertificates as certificates } from '../keys/clients/client-certificates.ts'
import { makeDpopProofs } from '../keys/clients/dpop-proofs.ts'
import { makeImportedSecrets, makeSecrets, randomness } from '../keys/clients/secrets.ts'
import { type FinishedSignIns, makeFinishedSignIns } from '../keys/providers/finished-sign-ins.ts'
import { makeTokenCodec } from '../keys/tokens/token-codec.ts'
import type { KeySets } from '../ports/key-sets.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Ports } from '../ports/ports.ts'
import type { Timing } from '../ports/timing.ts'
import { NO_TRACES, type Traces } from '../ports/traces.ts'
import type { ClockCells } from '../store/sqlite/connection/clock.ts'
import type { StoreMaker, StoreOptions } from '../store/store-options.ts'
import { makeSignIn } from '../keys/providers/sign-in.ts'
import type { SignIn } from '../ports/sessions.ts'

// Wires the sign-in of operators, where the console has a client at an identity provider.

type Parts = {
  readonly clock: Clocks
  readonly timing: Timing
  readonly metrics: Metrics
  readonly finished: FinishedSignIns
}

/** Returns null if the console has no client: then no operator can sign in. */
const signInOf = (config: ServiceConfig, { clock, ...parts }: Parts): SignIn | null => {
  const { console: client, baseUrl } = config
  if (client === null) return null
  const callback = `${baseUrl}/console/callback`
  return makeSignIn({ client, callback, keyEncryptionKey: keyOf(config), now: clock.wall, ...parts })
}

export type Service = {
  /** Serving threads connect to it. */
  readonly host: StoreHost
  /** Serving threads verify JWTs of other issuers with it. */
  readonly keySets: KeySets
  readonly ports: Ports
  /** The providers whose operators `ports` recognizes from then on. */
  readonly replaceProviders: ForeignJwts['replaceProviders']
  /** Counts and logs errors of background work. */
  readonly report: FaultLog
  /** The record of threads that ended unexpectedly: the writing thread here; serving threads add theirs. */
  readonly threadEnds: ThreadEndCells
  /** The sign-ins that were called back, which serving threads share. */
  readonly finishedSignIns: FinishedSignIns
  /** The metrics of the process; serving threads record too. */
  readonly metrics: ProcessMetrics
  /** The last restore of the store, if there was one. */
  readonly restoreState: () => Promise<RestoreState | undefined>
  /** Writes what was counted and is not written yet. */
  readonly settle: () => Promise<void>
  readonly close: () => Promise<void>
}

const secrets = makeSecrets(randomness)

/** How a service differs from the one that `serve` runs. */
export type ServiceParts = {
  /** Which command opens it. `dev` makes the store and the first signing key where they are missing. */
  readonly maker?: StoreMaker
  /** The waits of the process; those of production by default. */
  readonly timing?: Timing
  /** Instead of the machine's clocks; deadlines still count by its monotonic time. */
  readonly clock?: ManualClock
  /** What writes an embedded store: a thread, unless it is said. */
  readonly writer?: StoreOptions['writer']
  /** Instead of JSON lines on standard error. */
  readonly logger?: Logger
  /** Puts something in front of ports; `host` is the store's. */
  readonly inFront?: (own: Ports, host: StoreHost) => Ports
}

const openForService = async (config: ServiceConfig, parts: ServiceParts & { readonly timing: Timing }) => {
  const { expiredDays, endedDays } = config.retention
  const retention = { expiredMs: expiredDays * DAY_MS, endedMs: endedDays * DAY_MS }
  const { timing, clock, writer, logger = await makeLogger(config) } = parts
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
    ...(clock !== undefined && { clock }),
    ...(writer !== undefined && { writer }),
  })
  return { store, report, threadEnds, metrics }
}

type ForeignJwts = Awaited<ReturnType<typeof foreignJwtsOf>>

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
  readonly foreignJwts: ForeignJwts
  readonly clock: Clocks
  readonly timing: Timing
  readonly finishedSignIns: FinishedSignIns
}

const portsOf = (
  config: ServiceConfig,
  { store, foreignJwts, clock, timing, finishedSignIns: finished }: PartsOfPorts,
): Ports => ({
  ...store,
  signingKeyMaker: makerOf(config),
  auditSeals: auditSealsOf(store, keyOf(config)),
  usage: config.useEvidence ? store.usage : withoutEvidence(store.usage),
  codec: makeTokenCodec({ issuer: config.baseUrl, keyEncryptionKey: keyOf(config) }),
  proofs: makeDpopProofs(keyOf(config)),
  planSigning: makePlanSigning(keyOf(config)),
  assertions: foreignJwts.assertions,
  foreignIssuers: foreignJwts.foreignIssuers,
  operators: foreignJwts.operators,
  settings: settingsOf(config, foreignJwts.providers),
  signIn: signInOf(config, { clock, timing, finished, metrics: foreignJwts.metrics }),
  certificates,
  secrets,
  importedSecrets: makeImportedSecrets(keyOf(config), timing, foreignJwts.metrics),
  randomness,
  // Deadlines are passed on to the store, whose threads count by the machine's time.
  monotonic: monotonicMs,
  timing,
  profile: {
    issuer: config.baseUrl,
    defaultAudience: config.defaultAudience,
    lifetimeSeconds: config.tokenLifetimeSeconds,
    scopesSupported: config.scopesSupported,
    claimNames: config.claimNames,
    dpopNonce: config.dpopNonce,
    certificates: certificateSourcesOf(config.clientCertificates),
    signingAlgorithm: config.signingKeys.algorithm,
    rotationDays: config.signingKeys.rotationDays,
  },
})

const refuseLifetime = async (store: Store, seconds: number): Promise<void> => {
  const inUse = await store.agents.lifetimes()
  if (inUse.length < LIFETIMES_MAX || inUse.includes(seconds)) return
  throw new StartRefused(
    `MINTMARK_TOKEN_LIFETIME_SECONDS is ${seconds}, but ${LIFETIMES_MAX} other lifetimes are in use, the most there can be; choose one of ${inUse.join(', ')}.`,
  )
}

/** What each command has a service check before it serves. */
const CHECK_KEY: Readonly<Record<StoreMaker, CheckKey>> = { migrate: refuseWrongKey, dev: ensureSigningKey }

/**
 * The one place where a service is put together: for `serve`, for `dev` and for tests. Opens the store and checks the
 * key-encryption key. Throws a StartRefused.
 */
export const openService = async (config: ServiceConfig, parts: ServiceParts = {}): Promise<Service> => {
  const { maker = 'migrate', timing = timingOf(), clock = MACHINE, inFront = own => own } = parts
  if (maker === 'dev') await makeStore(config, maker)
  const { store, report, threadEnds, metrics } = await openForService(config, { ...parts, timing })
  try {
    refuseOtherMaker(store, config, maker)
    await CHECK_KEY[maker](store, config)
    await refuseLifetime(store, config.tokenLifetimeSeconds)
    const keySets = await openKeySets(config, { timing, clock, metrics: metrics.main })
    const foreignJwts = await foreignJwtsOf(config, { keySets, timing, clock, metrics: metrics.main })
    const health = withThreadEnds(store.health, threadEnds)
    const finishedSignIns = makeFinishedSignIns()
    const own = portsOf(config, { store, foreignJwts, clock, timing, finishedSignIns })
    const ports = inFront({ ...own, health }, store.host)
    metrics.follow(store.facts, report)
    const restoreState = () => store.restores.state()
    const close = async (): Promise<void> => {
      await metrics.close()
      await store.close()
    }
    const { replaceProviders } = foreignJwts
    const { host, settle } = store
    const shared = { threadEnds, finishedSignIns, keySets, metrics }
    return { host, ports, settle, replaceProviders, report, ...shared, restoreState, close }
  } catch (error) {
    await store.close()
    throw error
  }
}

type ThreadOptions = {
  readonly clock: ClockCells | null
  readonly keySets: KeySets
  readonly report: FaultLog
  readonly metrics: Metrics
  readonly traces?: Traces
  readonly timing: Timing
  /** What all serving threads of the process share. */
  readonly finishedSignIns: FinishedSignIns
}

/** The ports of a serving thread. It can write once `connect` has received a port to the writing thread, if there is one. */
export const connectPorts = async (config: ServiceConfig, options: ThreadOptions) => {
  const { clock, keySets, report, metrics, traces = NO_TRACES, timing, finishedSignIns } = options
  const foreignJwts = await foreignJwtsOf(config, { keySets, timing, metrics })
  const store = await connectToStore(config, clock, { onFault: report, metrics, traces, timing })
  const disconnect = async (): Promise<void> => {
    await store.settle()
    await store.close()
  }
  const { replaceProviders } = foreignJwts
  const ports = tracePorts(portsOf(config, { store, foreignJwts, clock: MACHINE, timing, finishedSignIns }), traces)
  return { ports, replaceProviders, connect: store.connect, disconnect }
}
