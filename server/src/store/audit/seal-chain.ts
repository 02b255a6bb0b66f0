// The arithmetic of seals: a canonical encoding of audit entries, the chain over them, and what proves it under a key.
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { asBytes } from '../statement-program.ts'

/** Every column of an entry, in the order in which it is encoded. */
export const ENTRY_COLUMNS = ['n', 'at', 'kind', 'actor', 'request_id', 'source', 'subject', 'note', 'detail'] as const

/** Bytes as the store has them; from a store that holds nothing but UTF-8, what those mean. */
export type EntryBytes = { readonly number: number } & Readonly<
  Record<(typeof ENTRY_COLUMNS)[number], Uint8Array | string | number | null>
>

/**
 * Selects columns as bytes: as text, two columns that differ in bytes that are not UTF-8 would be the same. Order by `audit.n`: the
 * bare name is that of the bytes.
 */
export const ENTRY_SELECT = `n as number, ${ENTRY_COLUMNS.map(asBytes).join(', ')}`

const bytesOf = (value: Uint8Array | string | number): Uint8Array =>
  value instanceof Uint8Array ? value : Buffer.from(String(value))

const NULL_LENGTH = 0xff_ff_ff_ff

/** Each column as its length and its bytes, so that no two entries have one encoding. */
const encodeEntry = (entry: EntryBytes): Uint8Array =>
  Buffer.concat(
    ENTRY_COLUMNS.flatMap(name => {
      const value = entry[name]
      const bytes = value === null ? null : bytesOf(value)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes === null ? NULL_LENGTH : bytes.length)
      return bytes === null ? [length] : [length, bytes]
    }),
  )

/** The bytes before the first entry, and in the place of the MAC before the first seal. */
export const NOTHING_BEFORE: Uint8Array = new Uint8Array(32)

/** The head of the chain after this entry. */
export const chain = (head: Uint8Array, entry: EntryBytes): Uint8Array =>
  hash('sha256', Buffer.concat([head, encodeEntry(entry)]), 'buffer')

export const MARK_BYTES = 8

/** Shows whether the chain was right up to here. Too short to prove it: that is what the MAC of the seal does. */
export const markOf = (key: Uint8Array, head: Uint8Array): Uint8Array =>
  createHmac('sha256', key).update('entry').update(head).digest().subarray(0, MARK_BYTES)

/** A row of the table of seals. */
export type SealRow = Readonly<Record<'n' | 'first' | 'last' | 'entries' | 'at', number>> &
  Readonly<Record<'head' | 'marks' | 'mac', Uint8Array>>

export const SEAL_COLUMNS = 'n, first_n as first, last_n as last, entries, head, marks, mac, at'

/** Covers every other column, and through the MAC before it every seal before it. */
export const macOf = (key: Uint8Array, seal: Omit<SealRow, 'mac'>, macBefore: Uint8Array): Uint8Array => {
  const numbers = Buffer.alloc(5 * 8)
  const { n, first, last, entries, at, head, marks } = seal
  for (const [position, value] of [n, first, last, entries, at].entries()) numbers.writeDoubleBE(value, 8 * position)
  const lengths = Buffer.from(`seal ${head.length} ${macBefore.length} ${marks.length} `)
  return createHmac('sha256', key).update(lengths).update(numbers).update(head).update(macBefore).update(marks).digest()
}

export const areSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)
