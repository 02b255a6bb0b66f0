// The sign-ins that were called back: each may ask the provider once. In shared memory of constant size, for all threads of a process.
import { makeSlots } from '../clients/failed-authentications.ts'
import { hash, randomBytes } from 'node:crypto'

const SLOTS = 65_536
const SEED_BYTES = 32

/** Each slot has a mark of the sign-in that took it last. */
export type FinishedSignIns = {
  readonly marks: BigInt64Array<SharedArrayBuffer>
  /** Random bytes, so that nobody can choose states that share a slot. */
  readonly seed: Uint8Array
}

export const makeFinishedSignIns = (): FinishedSignIns => ({
  marks: new BigInt64Array(new SharedArrayBuffer(SLOTS * BigInt64Array.BYTES_PER_ELEMENT)),
  seed: randomBytes(SEED_BYTES),
})

/**
 * Returns the function that reports whether a state is finished for the first time, and keeps it. A state is forgotten when
 * another takes its slot; docs/decisions/0121-sign-ins.md says what bounds the damage.
 */
export const makeFinishOnce = ({ marks, seed }: FinishedSignIns): ((state: string) => boolean) => {
  const slotsOf = makeSlots(seed, SLOTS)
  return state => {
    const [slot = 0] = slotsOf(state)
    const mark = hash('sha256', state, 'buffer').readBigInt64BE()
    return Atomics.exchange(marks, slot, mark) !== mark
  }
}
