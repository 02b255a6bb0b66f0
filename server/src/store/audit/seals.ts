// The sealer: gathers the audit entries after the last seal into the next one. Acts never wait for it.
import type { Seal } from '../../domain/seal.ts'
import {
  chain,
  ENTRY_SELECT,
  type EntryBytes,
  macOf,
  markOf,
  NOTHING_BEFORE,
  SEAL_COLUMNS,
  type SealRow,
} from './seal-chain.ts'
import type { Statements } from '../sqlite/statements.ts'
import type { Transaction } from '../sqlite/transaction.ts'

/** Entries that one seal covers, at most: what a check of the chain holds in memory at once. */
export const SEAL_ENTRIES_MAX = 500

/** What seals are made with. It reaches the writing thread when it starts, and stands nowhere else. */
export type SealKey = {
  readonly bytes: Uint8Array
  /** Of the key-encryption key that it was derived from. */
  readonly keyEncryptionKeyId: string
}

const readLast = (sql: Statements): SealRow | undefined =>
  sql<SealRow>(`select ${SEAL_COLUMNS} from seal order by n desc limit 1`).get()

const NEXT_ENTRIES = `select ${ENTRY_SELECT} from audit where audit.n > ? order by audit.n limit ?`

const FOREIGN_KEY = 'select 1 from signing_key where key_encryption_key_id <> ? limit 1'

/** Whether entries wait for a seal. A process that was started with another key-encryption key seals nothing. */
export const isSealDue = (sql: Statements, { keyEncryptionKeyId }: SealKey): boolean => {
  const select = 'select 1 from audit where n > coalesce((select last_n from seal order by n desc limit 1), 0) limit 1'
  return sql(select).get() !== undefined && sql(FOREIGN_KEY).get(keyEncryptionKeyId) === undefined
}

// The number after the last that was given, not after the last that is there: where a seal was removed its number
// stays open, for a check to find.
const nextNumber = (sql: Statements): number =>
  (sql<{ seq: number }>(`select seq from sqlite_sequence where name = 'seal'`).get()?.seq ?? 0) + 1

const INSERT = 'insert into seal (n, first_n, last_n, entries, head, marks, mac, at) values (?, ?, ?, ?, ?, ?, ?, ?)'

/** Writes the next seal, over at most {@link SEAL_ENTRIES_MAX} entries; undefined where there is nothing to seal. */
export const sealStep = ({ sql, now }: Transaction, key: Uint8Array): Seal | undefined => {
  const before = readLast(sql)
  const entries = sql<EntryBytes>(NEXT_ENTRIES).all(before?.last ?? 0, SEAL_ENTRIES_MAX)
  const last = entries.at(-1)?.number
  if (last === undefined) return undefined
  const marks: Uint8Array[] = []
  let head = before?.head ?? NOTHING_BEFORE
  for (const entry of entries) {
    head = chain(head, entry)
    marks.push(markOf(key, head))
  }
  const span = { n: nextNumber(sql), first: (before?.last ?? 0) + 1, last, entries: entries.length, at: now }
  const seal = { ...span, head, marks: Buffer.concat(marks) }
  const mac = macOf(key, seal, before?.mac ?? NOTHING_BEFORE)
  sql(INSERT).run(seal.n, seal.first, seal.last, seal.entries, seal.head, seal.marks, mac, seal.at)
  return { number: seal.n, count: seal.entries, head: Buffer.from(head).toString('hex') }
}
