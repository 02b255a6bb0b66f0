// Checks the whole audit log against its seals, a seal at a time, and names the first entry that is not as it was.
import type { AuditVerdict, KnownSeal, Seal, Tampering } from '../../domain/audit/seal.ts'
import { all, first, only, type Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'
import {
  areSame,
  chain,
  ENTRY_SELECT,
  type EntryBytes,
  macOf,
  MARK_BYTES,
  markOf,
  NOTHING_BEFORE,
  SEAL_COLUMNS,
  type SealRow,
} from '../audit/seal-chain.ts'
import { SEAL_ENTRIES_MAX } from '../audit/seals.ts'

type Finding = Extract<AuditVerdict, { readonly good: false }>

type Progress = {
  readonly seals: number
  readonly entries: number
  /** The last entry that is good. */
  readonly last: number
  readonly head: Uint8Array
  readonly mac: Uint8Array
  readonly lastSeal: Seal | null
  /** Whether a seal that is good is the one that was asked for. */
  readonly metKnown: boolean
}

const START: Progress = {
  seals: 0,
  entries: 0,
  last: 0,
  head: NOTHING_BEFORE,
  mac: NOTHING_BEFORE,
  lastSeal: null,
  metKnown: false,
}

const found = (entry: number, tampering: Tampering, because: string): Finding => ({
  good: false,
  entry,
  tampering,
  because,
})

const isKnown = (seal: Seal, { number, head }: KnownSeal): boolean =>
  (number === null || number === seal.number) && (head === null || head === seal.head)

const ENTRIES_OF_SEAL = `select ${ENTRY_SELECT} from audit where audit.n > ? and audit.n <= ? order by audit.n limit ?`

const checkSeal = (key: Uint8Array, before: Progress, seal: SealRow): Finding | undefined => {
  const entry = before.last + 1
  if (seal.n !== before.seals + 1) {
    return found(entry, 'unsealed', `The seal ${before.seals + 1}, which covered it, was removed.`)
  }
  const mac = macOf(key, seal, before.mac)
  const isSpan = seal.first === entry && seal.last >= entry && seal.entries <= SEAL_ENTRIES_MAX
  return isSpan && areSame(mac, seal.mac)
    ? undefined
    : found(entry, 'unsealed', `The seal ${seal.n}, which covers it, was changed or forged.`)
}

const CHANGED = 'What stands under its number is not what was sealed: it was changed, or another entry was moved there.'

/** The head after the entries of a seal, or the first of them that is not as it was. */
const chainEntries = (
  key: Uint8Array,
  { head: start, last }: Progress,
  seal: SealRow,
  entries: readonly EntryBytes[],
): Finding | Uint8Array => {
  let head = start
  for (const [position, entry] of entries.entries()) {
    const expected = last + 1 + position
    if (entry.number !== expected) return found(expected, 'removed', `No entry has its number.`)
    head = chain(head, entry)
    const mark = seal.marks.subarray(MARK_BYTES * position, MARK_BYTES * (position + 1))
    if (!areSame(markOf(key, head), mark)) return found(expected, 'changed', CHANGED)
  }
  const next = last + 1 + entries.length
  if (next <= seal.last) return found(next, 'removed', 'No entry has its number.')
  return areSame(head, seal.head) ? head : found(last + 1, 'changed', CHANGED)
}

// So that a seal with a number below 1 is met too.
const BELOW_EVERY_SEAL = Number.MIN_SAFE_INTEGER

const NEXT_SEAL = `select ${SEAL_COLUMNS} from seal where n > ? order by n limit 1`

/** The key that made a seal. */
type KeyOfSeal = (seal: number) => Uint8Array

type FormerKey = { readonly lastSeal: number; readonly sealedKey: Uint8Array }

const FORMER_KEYS = 'select last_n as "lastSeal", sealed_key as "sealedKey" from seal_key order by last_n'

/** Opens the kept key of the seals up to one; undefined where that was changed. */
type OpenFormer = (sealed: Uint8Array, lastSeal: number) => Uint8Array | undefined

/** A seal that was made under a former key-encryption key is checked with the key that was kept of it. */
function* readKeysOfSeals(current: Uint8Array, openFormer: OpenFormer): Program<KeyOfSeal> {
  const former = yield* all<FormerKey>(FORMER_KEYS)
  const keys = former.map(({ lastSeal, sealedKey }) => ({ lastSeal, key: openFormer(sealedKey, lastSeal) }))
  // A kept key that was changed proves nothing: the seals then count as forged.
  return seal => keys.find(({ lastSeal }) => seal <= lastSeal)?.key ?? current
}

function* checkNext(keyOf: KeyOfSeal, before: Progress, known: KnownSeal): Program<Finding | Progress | null> {
  const seal = yield* first<SealRow>(NEXT_SEAL, before.seals === 0 ? BELOW_EVERY_SEAL : before.seals)
  if (seal === undefined) return null
  const key = keyOf(seal.n)
  const wrong = checkSeal(key, before, seal)
  if (wrong !== undefined) return wrong
  const entries = yield* all<EntryBytes>(ENTRIES_OF_SEAL, before.last, seal.last, SEAL_ENTRIES_MAX)
  const head = chainEntries(key, before, seal, entries)
  if (!(head instanceof Uint8Array)) return head
  const lastSeal = { number: seal.n, count: seal.entries, head: Buffer.from(head).toString('hex') }
  return {
    seals: seal.n,
    entries: before.entries + entries.length,
    last: seal.last,
    head,
    mac: seal.mac,
    lastSeal,
    metKnown: before.metKnown || isKnown(lastSeal, known),
  }
}

const AFTER =
  'select count(*) as count, coalesce(min(n), 0) as least, coalesce(max(n), 0) as greatest from audit where n > ?'

const FIRST_GAP = `select n + 1 as gap from audit as one where n >= ?
  and not exists (select 1 from audit where n = one.n + 1) order by n limit 1`

type Tail = { readonly count: number; readonly least: number; readonly greatest: number }

type LastGiven = Transaction['lastGiven']

/** What stands after the last seal: entries without a gap, up to the last number that was given. */
function* checkEnd(
  { seals, entries, last, lastSeal, metKnown }: Progress,
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
  /** Of the seals under the key-encryption key of now. */
  readonly key: Uint8Array
  /** Absent where no former key is known. */
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
  let progress = START

  function* begin(): Program<Finding | undefined> {
    keyOf = yield* readKeysOfSeals(key, openFormer)
    const early = yield* first<{ n: number }>('select n from audit where n < 1 order by n limit 1')
    return early === undefined ? undefined : found(early.n, 'added', 'The store gives numbers from 1 on.')
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
