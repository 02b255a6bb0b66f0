// Checks entries against the seals that cover them: the first entry that is not as it was, or the progress to check on from.
import type { Tampering } from '../../../../api/values/audit.ts'
import type { AuditVerdict, Seal } from '../../domain/audit/seal.ts'
import { all, first, type Program } from '../statement-program.ts'
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
} from './seal-chain.ts'
import { SEAL_ENTRIES_MAX } from './seals.ts'

export type Finding = Extract<AuditVerdict, { readonly good: false }>

/** What a check knows after the seals that it found good. */
export type Progress = {
  readonly seals: number
  readonly entries: number
  /** The last entry that is good. */
  readonly last: number
  readonly head: Uint8Array
  readonly mac: Uint8Array
  readonly lastSeal: Seal | null
}

export const START: Progress = {
  seals: 0,
  entries: 0,
  last: 0,
  head: NOTHING_BEFORE,
  mac: NOTHING_BEFORE,
  lastSeal: null,
}

export const found = (entry: number, tampering: Tampering, because: string): Finding => ({
  good: false,
  entry,
  tampering,
  because,
})

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

/** The progress after a seal and its entries, or what is wrong with them. */
const checkSealed = (
  key: Uint8Array,
  before: Progress,
  seal: SealRow,
  entries: readonly EntryBytes[],
): Finding | Progress => {
  const wrong = checkSeal(key, before, seal)
  if (wrong !== undefined) return wrong
  const head = chainEntries(key, before, seal, entries)
  if (!(head instanceof Uint8Array)) return head
  const lastSeal = { number: seal.n, count: seal.entries, head: Buffer.from(head).toString('hex') }
  return { seals: seal.n, entries: before.entries + entries.length, last: seal.last, head, mac: seal.mac, lastSeal }
}

/** The key that made a seal. */
export type KeyOfSeal = (seal: number) => Uint8Array

export type FormerKey = { readonly lastSeal: number; readonly sealedKey: Uint8Array }

export const FORMER_KEYS = 'select last_n as "lastSeal", sealed_key as "sealedKey" from seal_key order by last_n'

/** Opens the kept key of the seals up to one; undefined where that was changed. */
export type OpenFormer = (sealed: Uint8Array, lastSeal: number) => Uint8Array | undefined

/** A seal that was made under a former key-encryption key is checked with the key that was kept of it. */
export function* readKeysOfSeals(current: Uint8Array, openFormer: OpenFormer): Program<KeyOfSeal> {
  const former = yield* all<FormerKey>(FORMER_KEYS)
  const keys = former.map(({ lastSeal, sealedKey }) => ({ lastSeal, key: openFormer(sealedKey, lastSeal) }))
  // A kept key that was changed proves nothing: the seals then count as forged.
  return seal => keys.find(({ lastSeal }) => seal <= lastSeal)?.key ?? current
}

/** The store gives numbers from 1 on: the first entry below that. */
export function* findEarly(): Program<Finding | undefined> {
  const early = yield* first<{ n: number }>('select n from audit where n < 1 order by n limit 1')
  return early === undefined ? undefined : found(early.n, 'added', 'The store gives numbers from 1 on.')
}

const NEXT_SEALS = `select ${SEAL_COLUMNS} from seal where n > ? order by n limit ?`
const ENTRIES_OF_SEALS = `select ${ENTRY_SELECT} from audit where audit.n > ? and audit.n <= ? order by audit.n limit ?`

// A check begins below 1, so that it also finds a seal whose number was changed to one below 1.
const BELOW_EVERY_SEAL = Number.MIN_SAFE_INTEGER

/** The first of them, and those after it as long as all together cover no more entries than one seal may. */
const fitting = (seals: readonly SealRow[], last: number): readonly SealRow[] => {
  const beyond = seals.findIndex((seal, position) => position > 0 && seal.last > last + SEAL_ENTRIES_MAX)
  return beyond === -1 ? seals : seals.slice(0, beyond)
}

/** Checks the next seals, at most `sealsMax`; `start` itself where there is none. */
export function* checkSeals(keyOf: KeyOfSeal, start: Progress, sealsMax: number): Program<Progress | Finding> {
  const from = start.seals === 0 ? BELOW_EVERY_SEAL : start.seals
  const seals = fitting(yield* all<SealRow>(NEXT_SEALS, from, sealsMax), start.last)
  const upTo = seals.at(-1)?.last ?? start.last
  const entries = yield* all<EntryBytes>(ENTRIES_OF_SEALS, start.last, upTo, SEAL_ENTRIES_MAX)
  let progress = start
  for (const seal of seals) {
    const { last } = progress
    const own = entries.filter(({ number }) => number > last && number <= seal.last)
    const next = checkSealed(keyOf(seal.n), progress, seal, own)
    if ('good' in next) return next
    progress = next
  }
  return progress
}

export type LastGiven = Transaction['lastGiven']

/** Whether a seal was removed after the last that is there. */
export function* findRemovedSeal({ seals, last }: Progress, lastGiven: LastGiven): Program<Finding | undefined> {
  if ((yield* lastGiven('seal')) <= seals) return undefined
  return found(last + 1, 'unsealed', `The seal ${seals + 1} was removed, and what it covered with it or not.`)
}

/** Whether entries were cut off after this one. */
export function* findCutOff(last: number, lastGiven: LastGiven): Program<Finding | undefined> {
  if ((yield* lastGiven('audit')) <= last) return undefined
  return found(last + 1, 'cut_off', 'The store has given its number, and nothing from it on is there.')
}
