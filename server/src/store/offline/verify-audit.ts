// Checks the whole audit log against its seals, a seal at a time, and names the first entry that is not as it was.
import type { AuditVerdict, KnownSeal, Seal } from '../../domain/audit/seal.ts'
import { all, first, only, type Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'
import {
  checkSealed,
  type Finding,
  findEarly,
  found,
  type KeyOfSeal,
  type OpenFormer,
  type Progress,
  readKeysOfSeals,
  START,
} from '../audit/check-seals.ts'
import { ENTRY_SELECT, type EntryBytes, SEAL_COLUMNS, type SealRow } from '../audit/seal-chain.ts'
import { SEAL_ENTRIES_MAX } from '../audit/seals.ts'

/** The progress of a whole check. */
type Whole = Progress & {
  /** Whether a seal that is good is the one that was asked for. */
  readonly metKnown: boolean
}

const isKnown = (seal: Seal, { number, head }: KnownSeal): boolean =>
  (number === null || number === seal.number) && (head === null || head === seal.head)

const ENTRIES_OF_SEAL = `select ${ENTRY_SELECT} from audit where audit.n > ? and audit.n <= ? order by audit.n limit ?`

// A check begins below 1, so that it also finds a seal whose number was changed to one below 1.
const BELOW_EVERY_SEAL = Number.MIN_SAFE_INTEGER

const NEXT_SEAL = `select ${SEAL_COLUMNS} from seal where n > ? order by n limit 1`

function* checkNext(keyOf: KeyOfSeal, before: Whole, known: KnownSeal): Program<Finding | Whole | null> {
  const seal = yield* first<SealRow>(NEXT_SEAL, before.seals === 0 ? BELOW_EVERY_SEAL : before.seals)
  if (seal === undefined) return null
  const entries = yield* all<EntryBytes>(ENTRIES_OF_SEAL, before.last, seal.last, SEAL_ENTRIES_MAX)
  const next = checkSealed(keyOf(seal.n), before, seal, entries)
  if ('good' in next) return next
  const { lastSeal } = next
  return { ...next, metKnown: before.metKnown || (lastSeal !== null && isKnown(lastSeal, known)) }
}

const AFTER =
  'select count(*) as count, coalesce(min(n), 0) as least, coalesce(max(n), 0) as greatest from audit where n > ?'

const FIRST_GAP = `select n + 1 as gap from audit as one where n >= ?
  and not exists (select 1 from audit where n = one.n + 1) order by n limit 1`

type Tail = { readonly count: number; readonly least: number; readonly greatest: number }

type LastGiven = Transaction['lastGiven']

/** What stands after the last seal: entries without a gap, up to the last number that was given. */
function* checkEnd(
  { seals, entries, last, lastSeal, metKnown }: Whole,
  known: KnownSeal,
  lastGiven: LastGiven,
): Program<AuditVerdict> {
  if ((yield* lastGiven('seal')) > seals) {
    return found(last + 1, 'unsealed', `The seal ${seals + 1} was removed, and what it covered with it or not.`)
  }
  const { count, least, greatest } = yield* only<Tail>(AFTER, last)
  if (count > 0 && least !== last + 1) return found(last + 1, 'removed', 'No entry has its number.')
  if (count > 0 && greatest !== last + count) {
    const gap = (yield* first<{ gap: number }>(FIRST_GAP, least))?.gap ?? least
    return found(gap, 'removed', 'No entry has its number.')
  }
  if ((yield* lastGiven('audit')) > last + count) {
    return found(last + count + 1, 'cut_off', 'The store has given its number, and nothing from it on is there.')
  }
  if (!metKnown && (known.number !== null || known.head !== null)) {
    return found(
      last + 1,
      'cut_off',
      'No seal is the one that was named: the log is not the one that had it, or its end is gone.',
    )
  }
  return { good: true, entries, seals, last: lastSeal, unsealed: count }
}

export type AuditCheck = {
  /** The key of the seals under the present key-encryption key. */
  readonly key: Uint8Array
  /** Opens a seal under a former key; absent where none is known. */
  readonly openFormer?: OpenFormer
  readonly known: KnownSeal
}

/** A check of the log under way: `step` checks the next seal, or what stands after the last. */
type CheckUnderWay = { readonly step: () => Program<AuditVerdict | 'more'> }

/** Begins a check. Each step reads one snapshot: a log of any length is checked in flat memory, beside who writes to it. */
export const beginCheck = (
  { key, openFormer = () => undefined, known }: AuditCheck,
  lastGiven: LastGiven,
): CheckUnderWay => {
  let keyOf: KeyOfSeal | undefined
  let progress: Whole = { ...START, metKnown: false }

  function* begin(): Program<Finding | undefined> {
    keyOf = yield* readKeysOfSeals(key, openFormer)
    return yield* findEarly()
  }

  return {
    step: function* () {
      const wrong = keyOf === undefined ? yield* begin() : undefined
      if (wrong !== undefined || keyOf === undefined) return wrong ?? 'more'
      const next = (yield* checkNext(keyOf, progress, known)) ?? (yield* checkEnd(progress, known, lastGiven))
      if ('good' in next) return next
      progress = next
      return 'more'
    },
  }
}
