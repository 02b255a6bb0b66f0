// Checks a part of the audit log against its seals: so much that a request may do it, from any seal on.
import type { SealCheck } from '../../domain/audit/seal.ts'
import { all, first, type Program } from '../statement-program.ts'
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
} from './check-seals.ts'
import { areSame, macOf, NOTHING_BEFORE, SEAL_COLUMNS, type SealRow } from './seal-chain.ts'
import { SEAL_ENTRIES_MAX } from './seals.ts'

/** Seals of one part. Their entries together are as many as one seal may cover, or those of one seal. */
const PART_SEALS_MAX = 64

const SEALS_FROM = `select ${SEAL_COLUMNS} from seal where n >= ? order by n limit ?`
const AFTER = 'select n from audit where n > ? order by n limit ?'
const LAST_SEAL = 'select last_n as last from seal order by n desc limit 1'

/** What is known after a seal that an earlier part found good; its own proof is looked at again. */
function* resume(keyOf: KeyOfSeal, after: number, lastGiven: LastGiven): Program<Progress | Finding | 'unknown'> {
  if (after === 0) return START
  const rows = yield* all<SealRow>(SEALS_FROM, after - 1, 2)
  const seal = rows.find(({ n }) => n === after)
  if (seal === undefined) {
    if ((yield* lastGiven('seal')) < after) return 'unknown'
    return found((rows.at(0)?.last ?? 0) + 1, 'unsealed', `The seal ${after}, which covered it, was removed.`)
  }
  const macBefore = after === 1 ? NOTHING_BEFORE : rows.find(({ n }) => n === after - 1)?.mac
  if (macBefore === undefined || !areSame(macOf(keyOf(after), seal, macBefore), seal.mac)) {
    return found(seal.first, 'unsealed', `The seal ${after}, which covers it, was changed or forged.`)
  }
  const { n, last, head, mac, entries } = seal
  const lastSeal = { number: n, count: entries, head: Buffer.from(head).toString('hex') }
  return { seals: n, entries: 0, last, head, mac, lastSeal }
}

/** Checks the entries after the last seal: they have no gap up to the last number that was given. It looks at a bounded number. */
function* checkTail(end: Progress, lastGiven: LastGiven): Program<Finding | number> {
  const removed = yield* findRemovedSeal(end, lastGiven)
  if (removed !== undefined) return removed
  const { last } = end
  const numbers = (yield* all<{ n: number }>(AFTER, last, SEAL_ENTRIES_MAX)).map(({ n }) => n)
  const gap = numbers.findIndex((n, position) => n !== last + 1 + position)
  if (gap !== -1) return found(last + 1 + gap, 'removed', 'No entry has its number.')
  const count = numbers.length
  return (count < SEAL_ENTRIES_MAX ? yield* findCutOff(last + count, lastGiven) : undefined) ?? count
}

export type SealKeys = { readonly key: Uint8Array; readonly openFormer: OpenFormer }

/** Checks the next seals after one, in one snapshot. `unknown`: the store never gave this number to a seal. */
export function* checkPart(
  { key, openFormer }: SealKeys,
  after: number,
  lastGiven: LastGiven,
): Program<SealCheck | 'unknown'> {
  const keyOf = yield* readKeysOfSeals(key, openFormer)
  const sealedUpTo = (yield* first<{ last: number }>(LAST_SEAL))?.last ?? 0
  const start = (after === 0 ? yield* findEarly() : undefined) ?? (yield* resume(keyOf, after, lastGiven))
  if (start === 'unknown') return start
  const end = 'good' in start ? start : yield* checkSeals(keyOf, start, PART_SEALS_MAX)
  if ('good' in end) return { ...end, sealedUpTo }
  const { seals: seal, last: entry } = end
  if (seal > after) return { good: true, seal, entry, sealedUpTo, unsealed: null }
  const tail = yield* checkTail(end, lastGiven)
  return typeof tail === 'number' ? { good: true, seal, entry, sealedUpTo, unsealed: tail } : { ...tail, sealedUpTo }
}
