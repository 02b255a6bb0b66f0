// Failed authentications of the last minute, in shared memory of constant size. Each slot holds the time at which all of its
// failures are forgotten: a failure moves it by a minute divided by the limit, and it may be a minute away at most (the
// generic cell rate algorithm). So the limit may be reached at once, and decays evenly.
import { networkOf, UNKNOWN_SOURCE } from '../../domain/source.ts'
import type { FailedAuthentications } from '../../ports/failed-authentications.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import { createHmac } from 'node:crypto'

// Maps texts to slots of a table of constant size. The seed is random, so nobody can choose texts that share a slot.

/** The length to which a text is cut: what follows makes no difference. */
const CHARACTERS_MAX = 512

const SLOT_BYTES = 4

/** Returns the slots of a text, `count` of them and independent of one another, each from 0 to `slots` - 1. */
export const makeSlots =
  (seed: Uint8Array, slots: number) =>
  (text: string, count = 1): readonly number[] => {
    const digest = createHmac('sha256', seed).update(text.slice(0, CHARACTERS_MAX)).digest()
    return Array.from({ length: count }, (_, n) => digest.readUInt32BE(n * SLOT_BYTES) % slots)
  }

/** The slots of each of the two tables, which take 512 KiB. */
const SLOTS = 65_536

const WINDOW_US = 60_000_000n
const SECOND_US = 1_000_000n

type Table = BigInt64Array<SharedArrayBuffer>

/** The counts of failures, shared by all threads of a process. */
export type FailureMemory = {
  readonly byClient: Table
  readonly byAddress: Table
  /** Random bytes, so that a caller cannot choose its slot. */
  readonly seed: Uint8Array
}

const makeTable = (): Table => new BigInt64Array(new SharedArrayBuffer(SLOTS * BigInt64Array.BYTES_PER_ELEMENT))

/** Makes the memory; `seed` is random bytes. */
export const makeFailureMemory = (seed: Uint8Array): FailureMemory => ({
  byClient: makeTable(),
  byAddress: makeTable(),
  seed,
})

/** Failures a minute; null: no such limit. */
export type FailureLimits = { readonly perClient: number | null; readonly perAddress: number | null }

/** How long until the next failure in the slot is within the limit; 0 if this one is, and then it is counted. */
const countIn = (table: Table, slot: number, limit: number, now: bigint): bigint => {
  const step = WINDOW_US / BigInt(limit)
  while (true) {
    const known = Atomics.load(table, slot)
    const forgotten = (known > now ? known : now) + step
    const wait = forgotten - now - WINDOW_US
    if (wait > 0n) return wait
    if (Atomics.compareExchange(table, slot, known, forgotten) === known) return 0n
  }
}

const wholeSeconds = (us: bigint): number => Number((us + SECOND_US - 1n) / SECOND_US)

type Options = FailureLimits & { readonly memory: FailureMemory; readonly monotonic: () => MonotonicMilliseconds }

export const makeFailedAuthentications = ({
  memory: { byClient, byAddress, seed },
  perClient,
  perAddress,
  monotonic,
}: Options): FailedAuthentications => {
  const slotsOf = makeSlots(seed, SLOTS)

  const countAs = (table: Table, limit: number | null, text: string, now: bigint): bigint => {
    if (limit === null) return 0n
    const [slot = 0] = slotsOf(text)
    return countIn(table, slot, limit, now)
  }

  return {
    count: ({ clientId, source }) => {
      // The connection has gone: nobody receives the answer, and such callers share nothing but that.
      if (source === UNKNOWN_SOURCE) return null
      const now = BigInt(Math.floor(1000 * monotonic()))
      const network = networkOf(source)
      const waitOfAddress = countAs(byAddress, perAddress, network, now)
      if (waitOfAddress > 0n) return wholeSeconds(waitOfAddress)
      if (clientId === undefined) return null
      // No address holds a NUL.
      const waitOfClient = countAs(byClient, perClient, `${network}\0${clientId}`, now)
      return waitOfClient > 0n ? wholeSeconds(waitOfClient) : null
    },
  }
}
