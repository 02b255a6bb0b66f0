// The sealer: gathers the audit entries after the last seal into the next one. Acts never wait for it.
import type { Seal } from '../../domain/audit/seal.ts'
import { all, first, run, type Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'
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

/** Entries that one seal covers, at most: what a check of the chain holds in memory at once. */
export const SEAL_ENTRIES_MAX = 500

/** What seals are made with. It reaches the writing thread when it starts, and stands nowhere else. */
export type SealKey = {
  readonly bytes: Uint8Array
  /** The id of the key-encryption key from which it was derived. */
  readonly keyEncryptionKeyId: string
}

const LAST = `select ${SEAL_COLUMNS} from seal order by n desc limit 1`
const NEXT_ENTRIES = `select ${ENTRY_SELECT} from audit where audit.n > ? order by audit.n limit ?`

const FOREIGN_KEY = 'select 1 as found from signing_key where key_encryption_key_id <> ? limit 1'
const UNSEALED = `select 1 as found from audit
  where n > coalesce((select last_n from seal order by n desc limit 1), 0) limit 1`

/** Whether entries wait for a seal. A process that was started with another key-encryption key seals nothing. */
export function* isSealDue({ keyEncryptionKeyId }: SealKey): Program<boolean> {
  return (yield* first(UNSEALED)) !== undefined && (yield* first(FOREIGN_KEY, keyEncryptionKeyId)) === undefined
}

const INSERT = 'insert into seal (n, first_n, last_n, entries, head, marks, mac, at) values (?, ?, ?, ?, ?, ?, ?, ?)'

/** Writes the next seal, over at most {@link SEAL_ENTRIES_MAX} entries; undefined where there is nothing to seal. */
export function* sealStep(tx: Transaction, key: Uint8Array): Program<Seal | undefined> {
  const before = yield* first<SealRow>(LAST)
  const entries = yield* all<EntryBytes>(NEXT_ENTRIES, before?.last ?? 0, SEAL_ENTRIES_MAX)
  const last = entries.at(-1)?.number
  if (last === undefined) return undefined
  const marks: Uint8Array[] = []
  let head = before?.head ?? NOTHING_BEFORE
  for (const entry of entries) {
    head = chain(head, entry)
    marks.push(markOf(key, head))
  }
  // The number after the last that was given, not after the last that is there: where a seal was removed its number
  // stays open, for a check to find.
  const n = (yield* tx.lastGiven('seal')) + 1
  const span = { n, first: (before?.last ?? 0) + 1, last, entries: entries.length, at: tx.now }
  const seal = { ...span, head, marks: Buffer.concat(marks) }
  const mac = macOf(key, seal, before?.mac ?? NOTHING_BEFORE)
  yield* run(INSERT, seal.n, seal.first, seal.last, seal.entries, seal.head, seal.marks, mac, seal.at)
  return { number: seal.n, count: seal.entries, head: Buffer.from(head).toString('hex') }
}
