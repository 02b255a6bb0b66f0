// The schedule of faults: sequences beside one another, each one fault after another, all from one seed.
import { setTimeout as delay } from 'node:timers/promises'
import { makeRandom, type Random } from '../random.ts'
import type { Cluster } from './cluster.ts'
import { DEPOSE } from './depose.ts'
import { type Fault, pickFault, type World } from './faults.ts'
import { LINK_FAULTS } from './link-faults.ts'
import { NODE_FAULTS } from './node-faults.ts'
import type { Replica } from './replica.ts'
import { REPLICA_FAULTS } from './replica-faults.ts'

export type FaultSchedule = {
  /** How often each fault struck so far. */
  readonly counts: ReadonlyMap<string, number>
  readonly total: () => number
  /** How often another node became the primary so far. */
  readonly failOvers: () => number
  /** Rejects where a fault could not be made, or the cluster did not come back from one. */
  readonly failed: Promise<never>
  /** Lets what is under way end, soon, and waits for it. */
  readonly stop: () => Promise<void>
}

type FaultOptions = {
  readonly cluster: Cluster
  readonly replicas: readonly Replica[]
  readonly seed: number
  /** Called for each fault once it is over. */
  readonly report: (line: string) => void
}

const SEQUENCES: readonly (readonly Fault[])[] = [REPLICA_FAULTS, LINK_FAULTS, [...NODE_FAULTS, DEPOSE]]
const GAP_MS_MOST = 1500

const timelineOf = async (cluster: Cluster): Promise<number> => (await (await cluster.untilWhole()).state()).timeline

/** Starts with all sequences at once, on a cluster that is whole. */
export const startFaults = async ({ cluster, replicas, seed, report }: FaultOptions): Promise<FaultSchedule> => {
  const counts = new Map<string, number>()
  const ending = new AbortController()
  const first = await timelineOf(cluster)
  let timeline = first
  const hold = async (ms: number): Promise<void> => {
    // Rejects only where the drill ends: then the wait is over.
    await delay(ms, undefined, { signal: ending.signal }).catch(() => undefined)
  }
  const strike = async (faults: readonly Fault[], random: Random): Promise<void> => {
    const fault = pickFault(faults, random)
    const world: World = { cluster, replicas, random, hold }
    report(await fault.strike(world))
    counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1)
  }
  const runSequence = async (faults: readonly Fault[], n: number): Promise<void> => {
    const random = makeRandom(seed + n)
    while (!ending.signal.aborted) {
      await hold(random.below(GAP_MS_MOST))
      if (ending.signal.aborted) return
      await strike(faults, random)
      if (faults.includes(DEPOSE)) timeline = await timelineOf(cluster)
    }
  }
  const sequences = Promise.all(SEQUENCES.map(runSequence))
  const failed = sequences.then(() => new Promise<never>(() => undefined))
  // The promise reports it; nobody has to wait for it.
  failed.catch(() => undefined)
  return {
    counts,
    total: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
    failOvers: () => timeline - first,
    failed,
    stop: async () => {
      ending.abort()
      await sequences
    },
  }
}
