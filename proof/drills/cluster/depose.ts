// The fault that fencing is for: a primary whose Patroni has fallen asleep is deposed, and lives on and answers, while some
// replicas reach no other node; and somebody cancels what waits for a standby there.
import type { Fault, World } from './faults.ts'
import { BOTH } from '../../../testkit/proxies/link.ts'
import type { ClusterNode } from './node.ts'
import type { Replica } from './replica.ts'

const NEW_LEADER_MS_MAX = 40_000
const AFTERLIFE_MS = { least: 2000, most: 8000 }
const CANCEL_MS = 150

const isolate = ({ cluster }: World, replica: Replica, leader: ClusterNode): (() => void)[] =>
  cluster.nodes.filter(node => node !== leader).flatMap(node => replica.links.get(node.name)?.hold(BOTH) ?? [])

type Canceller = { readonly stop: () => Promise<void> }

// What an operator, a driver's deadline or a restart may do to a session that waits.
const cancelWaits = (node: ClusterNode, way: 'cancel' | 'terminate'): Canceller => {
  let stopped = false
  let running: Promise<unknown> = Promise.resolve()
  const sql = `select pg_${way}_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`
  const timer = setInterval(() => {
    // A server that does not answer has nothing to cancel.
    if (!stopped) running = node.query(sql).catch(() => undefined)
  }, CANCEL_MS)
  return {
    stop: async () => {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}

const depose = async (world: World): Promise<string> => {
  const { cluster, replicas, random, hold } = world
  const leader = await cluster.untilWhole()
  const cutOff = replicas.filter(() => random.chance(0.5))
  const letGo = cutOff.flatMap(replica => isolate(world, replica, leader))
  const cutsReplication = random.chance(0.7)
  const way = random.pick(['cancel', 'terminate'] as const)
  leader.signal('patroni', 'SIGSTOP')
  if (cutsReplication) letGo.push(leader.links.peer.hold(BOTH))
  const canceller = cancelWaits(leader, way)
  try {
    const next = await cluster.untilLedByOther(leader, NEW_LEADER_MS_MAX)
    await hold(random.between(AFTERLIFE_MS.least, AFTERLIFE_MS.most))
    const who = cutOff.map(({ name }) => name).join(', ') || 'no replica'
    const how = cutsReplication ? `its replication cut, waits there ended by ${way}` : `waits there ended by ${way}`
    return `primary ${leader.name} deposed by ${next?.name ?? 'nobody'} and alive, ${who} left with it, ${how}`
  } finally {
    await canceller.stop()
    for (const release of letGo) release()
    leader.signal('patroni', 'SIGCONT')
  }
}

export const DEPOSE: Fault = { name: 'primary deposed and alive', weight: 6, strike: depose }
