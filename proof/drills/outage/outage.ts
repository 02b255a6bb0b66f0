// How long callers go without an answer while another node of PostgreSQL takes over: two replicas over a cluster under Patroni, with the
// times of the drills, are asked all along, and the longest time between two good answers counts.
import { setTimeout as delay } from 'node:timers/promises'
import { formatTable, median, publish } from '../../bench/figures.ts'
import { describeMachine } from '../../bench/machine.ts'
import { makeBound } from '../../options.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { ClusterNode } from '../cluster/node.ts'
import { switchOver } from '../cluster/patroni-state.ts'
import { type ReplicaSet, startReplicaSet } from '../cluster/replica-set.ts'
import { withParts } from '../cluster/with-parts.ts'
import { conclude, performAll, print, readOptions } from '../drill.ts'
import { PROGRAM } from '../service-under-drill.ts'
import { startProbes, type Probes } from './probes.ts'

const options = readOptions({ rounds: 3, replicas: 2, workers: 1, record: false })
const isOver = makeBound(options)
const violations: string[] = []

const report = (violation: string): void => void violations.push(violation)

const REPLICAS_SETTLED_MS = 3000
const NEW_LEADER_MS_MAX = 60_000

type Strike = (cluster: Cluster, leader: ClusterNode) => Promise<void>

const untilTakenOver = async (cluster: Cluster, leader: ClusterNode): Promise<void> => {
  if ((await cluster.untilLedByOther(leader, NEW_LEADER_MS_MAX)) === undefined)
    throw new Error(`Nobody took over from ${leader.name}.`)
}

const STRIKES: Readonly<Record<string, Strike>> = {
  'the machine of the primary is gone (SIGKILL to all of it)': async (cluster, leader) => {
    await leader.kill('all')
    await untilTakenOver(cluster, leader)
  },
  'PostgreSQL of the primary is killed': (_cluster, leader) => leader.kill('postgres'),
  'a planned switchover': async (cluster, leader) => {
    const { replication } = await leader.state()
    const candidate = replication.find(({ sync_state: state }) => state === 'sync')?.application_name
    if (candidate === undefined) throw new Error('There is no synchronous standby to hand over to.')
    await switchOver(leader.ports.patroni, leader.name, candidate)
    await untilTakenOver(cluster, leader)
  },
}

/** Seconds without a good answer, by what was asked. */
type Outage = Readonly<Record<string, number>>

const strikeOnce = async (cluster: Cluster, probes: Probes, strike: Strike): Promise<Outage> => {
  const leader = await cluster.untilWhole()
  await delay(REPLICAS_SETTLED_MS)
  const began = performance.now()
  await strike(cluster, leader)
  await probes.untilAnswered(REPLICAS_SETTLED_MS)
  const outage = probes.longestGaps(began)
  if (leader.processes('patroni').length === 0) leader.start()
  await cluster.untilWhole()
  return outage
}

type Row = readonly [strike: string, asked: string, rounds: string, median: number, worst: number]

const measure = async ({ cluster, replicas, access }: ReplicaSet): Promise<readonly Row[]> => {
  const ports = replicas.map(({ port }) => port)
  const probes = await startProbes(access, ports, report)
  const found = new Map<string, Outage[]>()
  try {
    for (let round = 1; round <= options.rounds && !isOver(); round += 1) {
      for (const [name, strike] of Object.entries(STRIKES)) {
        const outage = await strikeOnce(cluster, probes, strike)
        print(`  ${name}: ${JSON.stringify(outage)}`)
        found.set(name, [...(found.get(name) ?? []), outage])
      }
    }
  } finally {
    await probes.stop()
  }
  return [...found].flatMap(([name, outages]) =>
    Object.keys(outages[0] ?? {}).map(asked => {
      const seconds = outages.map(outage => outage[asked] ?? 0)
      return [name, asked, String(seconds.length), median(seconds), Math.max(...seconds)] as const
    }),
  )
}

const TITLES = ['what happens', 'asked', 'times', 'median s without an answer', 'longest s']

await withParts(async parts => {
  print(`Outage: ${JSON.stringify(options)}`)
  let rows: readonly Row[] = []
  await performAll(violations, async started => {
    const { workers, replicas } = options
    const set = await startReplicaSet({ parts, replicas, workers, program: PROGRAM, onDeath: report, report: print })
    started.defer(() => set.close(violations.length > 0))
    rows = await measure(set)
  })
  const isKept = options.record && violations.length === 0
  publish({ title: 'Outage', facts: describeMachine(null), tables: [formatTable(TITLES, rows)] }, isKept)
  conclude(violations, `${rows.length} figures`)
})
