// The faults of the replicas drill, each from its beginning to its end: what it does lets go again before it is over.
import type { Random } from '../random.ts'
import type { Cluster } from './cluster.ts'
import type { Replica } from './replica.ts'

export type World = {
  readonly cluster: Cluster
  readonly replicas: readonly Replica[]
  readonly random: Random
  /** Waits, but no longer than the drill goes on. */
  readonly hold: (ms: number) => Promise<void>
}

/** `strike` gives what it did, in a few words. */
export type Fault = {
  readonly name: string
  readonly weight: number
  readonly strike: (world: World) => Promise<string>
}

/** Returns a duration from 10 ms to 20 s, short ones as often as long ones. */
export const holdMs = ({ between }: Random): number => Math.round(10 ** (between(1000, 4301) / 1000))

export const pickFault = (faults: readonly Fault[], { below }: Random): Fault => {
  let drawn = below(faults.reduce((sum, { weight }) => sum + weight, 0))
  for (const fault of faults) {
    drawn -= fault.weight
    if (drawn < 0) return fault
  }
  throw new Error('There is no fault to pick.')
}
