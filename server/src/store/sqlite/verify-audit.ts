// Checks the whole audit log against its seals, a seal at a time, and names the first entry that is not as it was.
import type { Database } from 'better-sqlite3'
import type { AuditVerdict, KnownSeal, Seal, Tampering } from '../../domain/seal.ts'
import { openForReading } from './connection.ts'
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
import { type Statements, statementsOf } from './statements.ts'

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

/** The number that autoincrement gave last: it stays where rows are removed. */
const lastGiven = (sql: Statements, table: 'audit' | 'seal'): number =>
  sql<{ seq: number }>('select seq from sqlite_sequence where name = ?').get(table)?.seq ?? 0

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

type FormerKey = { readonly lastSeal: number; readonly sealedKey: Buffer }

const FORMER_KEYS = 'select last_n as lastSeal, sealed_key as sealedKey from seal_key order by last_n'

/** Opens the kept key of the seals up to one; undefined where that was changed. */
export type OpenFormer = (sealed: Uint8Array, lastSeal: number) => Uint8Array | undefined

/** A seal that was made under a former key-encryption key is checked with the key that was kept of it. */
const keyOfSealIn = (sql: Statements, current: Uint8Array, openFormer: OpenFormer): KeyOfSeal => {
  const former = sql<FormerKey>(FORMER_KEYS).all()
  const keys = former.map(({ lastSeal, sealedKey }) => ({ lastSeal, key: openFormer(sealedKey, lastSeal) }))
  // A kept key that was changed proves nothing: the seals then count as forged.
  return seal => keys.find(({ lastSeal }) => seal <= lastSeal)?.key ?? current
}

const checkNext = (
  sql: Statements,
  keyOf: KeyOfSeal,
  before: Progress,
  known: KnownSeal,
): Finding | Progress | null => {
  const seal = sql<SealRow>(NEXT_SEAL).get(before.seals === 0 ? BELOW_EVERY_SEAL : before.seals)
  if (seal === undefined) return null
  const key = keyOf(seal.n)
  const wrong = checkSeal(key, before, seal)
  if (wrong !== undefined) return wrong
  const entries = sql<EntryBytes>(ENTRIES_OF_SEAL).all(before.last, seal.last, SEAL_ENTRIES_MAX)
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

/** What stands after the last seal: entries without a gap, up to the last number that was given. */
const checkEnd = (
  sql: Statements,
  { seals, entries, last, lastSeal, metKnown }: Progress,
  known: KnownSeal,
): AuditVerdict => {
  if (lastGiven(sql, 'seal') > seals) {
    return found(last + 1, 'unsealed', `The seal ${seals + 1} was removed, and what it covered with it or not.`)
  }
  const tail = sql<{ count: number; least: number; greatest: number }>(AFTER).get(last)
  const { count = 0, least = 0, greatest = 0 } = tail ?? {}
  if (count > 0 && least !== last + 1) return found(last + 1, 'removed', 'No entry has its number.')
  if (count > 0 && greatest !== last + count) {
    const gap = sql<{ gap: number }>(FIRST_GAP).get(least)?.gap ?? least
    return found(gap, 'removed', 'No entry has its number.')
  }
  if (lastGiven(sql, 'audit') > last + count) {
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

const inSnapshot = <T>(sql: Statements, work: () => T): T => {
  sql('begin').run()
  try {
    return work()
  } finally {
    sql('commit').run()
  }
}

export type AuditCheck = {
  /** Of the seals under the key-encryption key of now. */
  readonly key: Uint8Array
  /** Absent where no former key is known. */
  readonly openFormer?: OpenFormer
  readonly known: KnownSeal
}

/** Checks a seal a snapshot, so that a store of any size is checked in flat memory, and beside a service that writes. */
export const checkAudit = (db: Database, { key, openFormer, known }: AuditCheck): AuditVerdict => {
  const sql = statementsOf(db)
  const keyOf = keyOfSealIn(sql, key, openFormer ?? (() => undefined))
  const early = sql<{ n: number }>('select n from audit where n < 1 order by n limit 1').get()
  if (early !== undefined) return found(early.n, 'added', 'The store gives numbers from 1 on.')
  let progress = START
  for (;;) {
    const step = inSnapshot(sql, () => checkNext(sql, keyOf, progress, known) ?? checkEnd(sql, progress, known))
    if ('good' in step) return step
    progress = step
  }
}

/** As checkAudit, on the store of a file. Throws StoreProblem with one line for a person. */
export const verifyAudit = ({ file, ...check }: AuditCheck & { readonly file: string }): AuditVerdict => {
  const db = openForReading(file)
  try {
    return checkAudit(db, check)
  } finally {
    db.close()
  }
}
