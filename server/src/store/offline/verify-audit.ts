// Checks the whole audit log against its seals, a seal at a time, and names the first entry that is not as it was.
import type { AuditVerdict, KnownSeal, Seal } from '../../domain/audit/seal.ts'
import { first, only, type Program } from '../statement-program.ts'
import {
  checkSeals,
  findCutOff,
  type Finding,
  findEarly,
  findRemovedSeal,
  found,
  type KeyOfSeal,
  type LastGiven,
  type OpenFormer,
  type Progress,
  readKeysOfSeals,
  START,
} from '../audit/check-seals.ts'

const isKnown = (seal: Seal, { number, head }: KnownSeal): boolean =>
  (number === null || number === seal.number) && (head === null || head === seal.head)

const AFTER =
  'select count(*) as count, coalesce(min(n), 0) as least, coalesce(max(n), 0) as greatest from audit where n > ?'

const FIRST_GAP = `select n + 1 as gap from audit as one where n >= ?
  and not exists (select 1 from audit where n = one.n + 1) order by n limit 1`

type Tail = { readonly count: number; readonly least: number; readonly greatest: number }

/** What stands after the last seal: entries without a gap, up to the last number that was given. */
function* checkEnd(end: Progress, lastGiven: LastGiven): Program<AuditVerdict> {
  const removed = yield* findRemovedSeal(end, lastGiven)
  if (removed !== undefined) return removed
  const { seals, entries, last, lastSeal } = end
  const { count, least, greatest } = yield* only<Tail>(AFTER, last)
  if (count > 0 && least !== last + 1) return found(last + 1, 'removed', 'No entry has its number.')
  if (count > 0 && greatest !== last + count) {
    const gap = (yield* first<{ gap: number }>(FIRST_GAP, least))?.gap ?? least
    return found(gap, 'removed', 'No entry has its number.')
  }
  return (yield* findCutOff(last + count, lastGiven)) ?? { good: true, entries, seals, last: lastSeal, unsealed: count }
}

const notKnown = ({ last }: Progress): Finding =>
  found(
    last + 1,
    'cut_off',
    'No seal is the one that was named: the log is not the one that had it, or its end is gone.',
  )

export type AuditCheck = {
  /** The key of the seals under the present key-encryption key. */
  readonly key: Uint8Array
  /** Opens a seal under a former key; absent where none is known. */
  readonly openFormer?: OpenFormer
  readonly known: KnownSeal
}

/** Begins a check. Each step reads one snapshot: a log of any length is checked in flat memory, beside who writes to it. */
export const beginCheck = ({ key, openFormer = () => undefined, known }: AuditCheck, lastGiven: LastGiven) => {
  let keyOf: KeyOfSeal | undefined
  let progress = START
  /** Whether a seal that is good is the one that was asked for, if one was. */
  let metKnown = known.number === null && known.head === null

  function* begin(): Program<Finding | undefined> {
    keyOf = yield* readKeysOfSeals(key, openFormer)
    return yield* findEarly()
  }

  /** Checks the next seal, or what stands after the last. */
  function* step(): Program<AuditVerdict | 'more'> {
    const wrong = keyOf === undefined ? yield* begin() : undefined
    if (wrong !== undefined || keyOf === undefined) return wrong ?? 'more'
    const next = yield* checkSeals(keyOf, progress, 1)
    if ('good' in next) return next
    if (next === progress) {
      const verdict = yield* checkEnd(progress, lastGiven)
      return verdict.good && !metKnown ? notKnown(progress) : verdict
    }
    const { lastSeal } = next
    metKnown ||= lastSeal !== null && isKnown(lastSeal, known)
    progress = next
    return 'more'
  }

  return { step }
}
