// What commands do to the local store themselves. Each acts once: it opens the store without the maintenance of a service.
import { ensureSigningKey, keyOf, makersUnder, refuseWrongKey, sealKeysOf } from './keys.ts'
import { settingsHere } from './settings.ts'
import { forPerson, makeStore, openStore, refuseOtherMaker, type Store, type StoreVersions } from './store.ts'
import { timingOf } from './timing.ts'
import type { CommandConfig, MigrateConfig, StoreConfig } from '../config/config.ts'
import type { AuditVerdict, KnownSeal } from '../domain/audit/seal.ts'
import { actBy, type CliCaller, type Origin } from '../domain/caller.ts'
import { makePlanSigning } from '../keys/at-rest/sealed-bytes.ts'
import { clientCertificates as certificates } from '../keys/clients/client-certificates.ts'
import { readRegisteredKeys } from '../keys/clients/registered-keys.ts'
import { makeSecrets, randomness } from '../keys/clients/secrets.ts'
import { makeTokenReader } from '../keys/tokens/token-codec.ts'
import { monotonicMs } from '../store/clocks.ts'

const secrets = makeSecrets(randomness)

/** A command makes and uses a plan in one process, and opens the store for each of the two. */
const planSigning = makePlanSigning(randomness.bytes(32))

const ofCommands = timingOf()

/** Opens the store without its maintenance; what it writes it writes in this thread. */
const openForCommand = (config: StoreConfig): Promise<Store> =>
  openStore(config, {
    timing: { ...ofCommands, storeMs: ofCommands.commandStoreMs },
    retention: null,
    writer: 'inline',
  })

/** The administration of the local store for the command line; it opens no port. */
export const openAdministration = async (config: CommandConfig, origin: Origin<CliCaller>) => {
  const loading = import('../http/admin/direct.ts')
  const store = await openForCommand(config)
  const { baseUrl, claimNames, defaultAudience, operatorsAudience, tokenLifetimeSeconds: lifetimeSeconds } = config
  const { rotationDays } = config.signingKeys
  const profile = { issuer: baseUrl ?? '', claimNames, defaultAudience, lifetimeSeconds, rotationDays }
  const codec = baseUrl === null ? null : makeTokenReader(baseUrl)
  const makers = await makersUnder(store, config)
  const assertions = { readKeys: readRegisteredKeys }
  const operators = { audiences: () => (operatorsAudience === null ? [] : [operatorsAudience]) }
  const own = {
    operators,
    secrets,
    planSigning,
    randomness,
    assertions,
    certificates,
    monotonic: monotonicMs,
    profile,
    codec,
  }
  const ports = { ...store, ...makers, ...own, foreignIssuers: null, timing: ofCommands, settings: settingsHere }
  const { makeDirect } = await loading
  return { ...makeDirect(ports, origin), close: store.close }
}

/** Does some work on the local store, opened for it alone. */
export const withStore = async <T>(config: StoreConfig, work: (store: Store) => T | Promise<T>): Promise<T> => {
  const store = await openForCommand(config)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Creates the store or migrates it to this version, and creates the first signing key, once. */
export const migrateStore = async (config: MigrateConfig): Promise<StoreVersions> => {
  const versions = await makeStore(config, 'migrate')
  await withStore(config, store => {
    refuseOtherMaker(store, config, 'migrate')
    return ensureSigningKey(store, config)
  })
  return versions
}

/** Accepts the machine's clock, and ends every live token so that none comes back. */
export const resetStoreClock = ({ databaseFile, postgres }: StoreConfig, origin: Origin): Promise<void> =>
  forPerson(async () => {
    const act = actBy(origin, 'clock.reset')
    if (postgres === null) {
      const { resetClock } = await import('../store/offline/sqlite/act-alone.ts')
      return resetClock({ file: databaseFile, timing: timingOf(), act, wall: Date.now() })
    }
    const { resetDatabaseClock } = await import('../store/offline/postgres/act-alone.ts')
    return resetDatabaseClock({ address: postgres, timing: timingOf() }, act)
  })

/** Checks the audit log against its seals, under the key-encryption key that sealed it. */
export const verifyStoreAudit = async (config: MigrateConfig, known: KnownSeal): Promise<AuditVerdict> => {
  await withStore(config, store => refuseWrongKey(store, config))
  const { databaseFile, postgres } = config
  const check = { ...sealKeysOf(keyOf(config)), known }
  return forPerson(async () => {
    if (postgres === null) {
      const { verifyAudit } = await import('../store/offline/sqlite/verify-audit.ts')
      return verifyAudit({ file: databaseFile, timing: timingOf(), ...check })
    }
    const { verifyDatabaseAudit } = await import('../store/offline/postgres/act-alone.ts')
    return verifyDatabaseAudit({ address: postgres, timing: timingOf() }, check)
  })
}
