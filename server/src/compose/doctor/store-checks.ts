// Checks of the store: that it can be read, its schema, its collation, its clock, and the key-encryption key.
import { refuseForeignSeals } from '../keys.ts'
import { nameOfStore } from '../store.ts'
import { StartRefused } from '../../config/start-refused.ts'
import { fail, type Finding, good, warn } from '../../domain/checkup.ts'
import { Unavailable } from '../../domain/refusal.ts'
import { ACCEPT_REMEDY, isAnySuspended, SUSPENDED_BRIEF } from '../../domain/restore.ts'
import { parseKeyEncryptionKey } from '../../keys/at-rest/sealed-bytes.ts'
import { timingOf } from '../timing.ts'
import { readInspectedHead, type StoreInspection } from '../../store/inspection.ts'
import { CLOCK_OFF_MS_MAX, LEASE_WAIT_MS } from '../../store/lease.ts'
import { readSuspended } from '../../store/repositories/suspensions.ts'
import { readSigningKeys } from '../../store/signing-keys/signing-keys.ts'
import { StoreProblem } from '../../store/store-problem.ts'
import { notChecked, splitAdvice, type StoreSeen, type Subject, type Surveyed } from './subject.ts'

const REACH = 'Start the database, or correct DATABASE_URL: until then the service answers 503.'

/** What keeps the store from being looked at. Anything else is a fault of the program. */
const failureOf = (fault: unknown): Finding => {
  if (fault instanceof Unavailable) return fail({ what: fault.message, remedy: REACH })
  if (fault instanceof StoreProblem) return fail(splitAdvice(fault.message))
  throw fault
}

export const openInspection = async ({ settings, isStoreKnown }: Surveyed): Promise<StoreSeen> => {
  if (!isStoreKnown) {
    const [failure = good('')] = notChecked(
      'the configuration does not say where the store is',
      'Correct DATABASE_URL.',
    )
    return { failure }
  }
  try {
    if (settings.postgres === null) {
      const { inspectSqliteStore } = await import('../../store/sqlite/inspect.ts')
      return { inspection: await inspectSqliteStore(settings.databaseFile) }
    }
    const { inspectPostgresStore } = await import('../../store/postgres/inspect.ts')
    return { inspection: await inspectPostgresStore({ address: settings.postgres, timing: timingOf() }) }
  } catch (fault) {
    return { failure: failureOf(fault) }
  }
}

type Judge = (inspection: StoreInspection, subject: Subject) => Promise<readonly Finding[]>

const withStore =
  (judge: Judge) =>
  async (subject: Subject): Promise<readonly Finding[]> => {
    const seen = await subject.store()
    if ('failure' in seen) return notChecked('the store cannot be read', 'See `store`.')
    try {
      return await judge(seen.inspection, subject)
    } catch (fault) {
      return [failureOf(fault)]
    }
  }

const isOfThisVersion = ({ version, oldestProgram, programVersion }: StoreInspection): boolean =>
  version >= programVersion && oldestProgram <= programVersion

/** What only a store of this version can be asked. */
export const withSchema = (judge: Judge) =>
  withStore(async (inspection, subject) =>
    isOfThisVersion(inspection)
      ? judge(inspection, subject)
      : notChecked('the schema is of another version', 'See `schema`.'),
  )

const DEV_STORE = {
  what: 'The store was made by `mintmark dev`, whose secrets lie beside it, and `mintmark serve` refuses it.',
  remedy: 'Set MINTMARK_DATA_DIR to another folder, and run `mintmark migrate`.',
}

export const checkStore = async (subject: Subject): Promise<readonly Finding[]> => {
  const seen = await subject.store()
  if ('failure' in seen) return [seen.failure]
  const { inspection } = seen
  if (isOfThisVersion(inspection)) {
    try {
      const head = await inspection.run(readInspectedHead())
      if (head === undefined)
        return [fail({ what: 'The store has lost its service row.', remedy: 'Restore a backup.' })]
      if (head.madeBy === 'dev') return [fail(DEV_STORE)]
    } catch (fault) {
      return [failureOf(fault)]
    }
  }
  return [good(`${nameOfStore(subject.survey.settings)} can be read (${inspection.server}).`)]
}

const MIGRATE = 'Make a backup, and run `mintmark migrate` of this version.'

export const checkSchema = withStore(async ({ version, oldestProgram, programVersion, otherMakers }) => {
  if (version === 0) return [fail({ what: 'The store has no tables yet.', remedy: 'Run `mintmark migrate`.' })]
  if (version < programVersion) {
    return [
      fail({ what: `The store is at version ${version}, and this program needs ${programVersion}.`, remedy: MIGRATE }),
    ]
  }
  if (oldestProgram > programVersion) {
    const what = `The store is at version ${version}, which programs older than version ${oldestProgram} must not use; this one is of ${programVersion}.`
    return [fail({ what, remedy: 'Run the version of Mintmark that migrated it.' })]
  }
  if (version > programVersion) {
    const what = `The store is at version ${version}, and this program writes ${programVersion}, which still works.`
    return [warn({ what, remedy: 'Finish the upgrade: run the newer version everywhere.' })]
  }
  const found = await otherMakers()
  return found.length > 0 ? found.map(warn) : [good(`The store is at version ${version}, which this program writes.`)]
})

export const checkCollation = withSchema(async inspection => {
  const found = await inspection.otherOrders()
  return found.length > 0 ? found.map(fail) : [good('Every column compares text by its bytes.')]
})

/** Operators' JWTs are taken up to a minute early or late; a clock that far off refuses good ones. */
const OFF_MS_REFUSED = 60_000
const OFF_MS_WARNED = 5_000

const inSeconds = (ms: number): string => `${Math.round(Math.abs(ms) / 1000)} s`

const NTP = 'Run NTP on this machine and on the database.'

const judgeOffset = (offset: number): Finding | undefined => {
  if (Math.abs(offset) < OFF_MS_WARNED) return undefined
  const what = `The clock of this machine is ${inSeconds(offset)} ${offset > 0 ? 'ahead of' : 'behind'} the clock of the store.`
  return Math.abs(offset) < OFF_MS_REFUSED ? warn({ what, remedy: NTP }) : fail({ what, remedy: NTP })
}

const judgeLease = (ahead: number): Finding | undefined => {
  if (ahead <= LEASE_WAIT_MS) return undefined
  const what = `The clock is ${inSeconds(ahead)} behind the time that the store has answered with.`
  if (ahead <= CLOCK_OFF_MS_MAX)
    return warn({ what, remedy: 'Correct the clock. Until it has caught up, time stands still.' })
  const remedy =
    'Correct the clock. If it is right, stop the service and run `mintmark clock reset`, which ends every token.'
  return fail({ what: `${what} \`mintmark serve\` does not start.`, remedy })
}

export const checkClock = withSchema(async (inspection, { now }) => {
  const before = now()
  const storeNow = await inspection.now()
  const after = now()
  // The answer was made between the two: what lies within is no difference.
  const offset = storeNow < before ? before - storeNow : Math.min(0, after - storeNow)
  const head = await inspection.run(readInspectedHead())
  const found = [judgeOffset(offset), judgeLease((head?.clockLease ?? 0) - storeNow)].filter(one => one !== undefined)
  return found.length > 0 ? found : [good('The clock of this machine and that of the store agree.')]
})

export const checkSuspensions = withSchema(async (inspection, { now }) => {
  const suspended = await inspection.run(readSuspended({ now: now() }))
  if (!isAnySuspended(suspended)) return [good('Nothing waits to be accepted after a restore.')]
  const { agents, credentials, apiKeys, issuers } = suspended
  const counts = `Of agents ${agents}, of credentials ${credentials}, of API keys ${apiKeys}, of trusted issuers ${issuers}.`
  return [warn({ what: `${SUSPENDED_BRIEF} ${counts}`, remedy: ACCEPT_REMEDY, brief: SUSPENDED_BRIEF })]
})

export const checkKeyEncryptionKey = withSchema(async (inspection, { survey: { settings } }) => {
  const key = parseKeyEncryptionKey(settings.keyEncryptionKey ?? '')
  if (key === undefined)
    return notChecked('the key-encryption key cannot be read', 'Correct what `configuration` says of it.')
  const sealed = await inspection.run(readSigningKeys())
  if (sealed.length === 0) return [fail({ what: 'The store holds no signing key.', remedy: 'Run `mintmark migrate`.' })]
  try {
    refuseForeignSeals(sealed, key)
  } catch (fault) {
    if (!(fault instanceof StartRefused)) throw fault
    return [fail(splitAdvice(fault.message))]
  }
  return [good('The key-encryption key decrypts the signing keys of the store.')]
})
