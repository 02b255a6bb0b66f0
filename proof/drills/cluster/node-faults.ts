// Faults of the database's nodes that its own machinery may answer by a fail-over, or live through.
import { setTimeout as delay } from 'node:timers/promises'
import { type Fault, holdMs, type World } from './faults.ts'
import { BOTH } from '../../../testkit/proxies/link.ts'
import type { ClusterNode } from './node.ts'
import { switchOver } from './patroni-state.ts'
import { signal, titleOf } from '../../../testkit/processes/processes.ts'

const NEW_LEADER_MS_MAX = 40_000
const FROZEN_MS = { least: 3000, most: 20_000 }
const RESTART_MS_MOST = 3000

const followerOf = async (world: World): Promise<ClusterNode> => {
  const leader = await world.cluster.untilWhole()
  return world.random.pick(world.cluster.nodes.filter(node => node !== leader))
}

const untilNewLeader = async ({ cluster }: World, leader: ClusterNode): Promise<string> => {
  const next = await cluster.untilLedByOther(leader, NEW_LEADER_MS_MAX)
  return next === undefined ? 'nobody took over' : `${next.name} took over`
}

const killLeader = async (world: World): Promise<string> => {
  const leader = await world.cluster.untilWhole()
  await leader.kill('all')
  const then = await untilNewLeader(world, leader)
  leader.start()
  return `node ${leader.name} killed, ${then}`
}

const killFollower = async (world: World): Promise<string> => {
  const node = await followerOf(world)
  await node.kill('all')
  await world.hold(world.random.below(RESTART_MS_MOST))
  node.start()
  return `node ${node.name} killed, a follower`
}

/** PostgreSQL alone: its Patroni finds it gone. */
const crashLeader = async (world: World): Promise<string> => {
  const leader = await world.cluster.untilWhole()
  await leader.kill('postgres')
  return `PostgreSQL of ${leader.name} killed, ${await untilNewLeader(world, leader)}`
}

const cutFromEtcd = async (world: World): Promise<string> => {
  const leader = await world.cluster.untilWhole()
  const letGo = leader.links.etcd.hold(BOTH)
  const then = await untilNewLeader(world, leader)
  letGo()
  return `node ${leader.name} cut off from etcd, ${then}`
}

const handOver = async (world: World): Promise<string> => {
  const { cluster } = world
  const leader = await cluster.untilWhole()
  const { replication } = await leader.state()
  const candidate = replication.find(({ sync_state }) => sync_state === 'sync')?.application_name ?? 'nobody'
  return `switched over to ${candidate}: ${await switchOver(leader.ports.patroni, leader.name, candidate)}`
}

/** Everything of the leader stops, long enough for another to take over, and wakes with what was under way. */
const freezeLeader = async (world: World): Promise<string> => {
  const leader = await world.cluster.untilWhole()
  const ms = world.random.between(FROZEN_MS.least, FROZEN_MS.most)
  leader.signal('all', 'SIGSTOP')
  await world.hold(ms)
  leader.signal('all', 'SIGCONT')
  return `node ${leader.name} frozen for ${ms} ms`
}

const pausePostgres = async (world: World): Promise<string> => {
  const { cluster, random } = world
  const [node, ms] = [random.pick(cluster.nodes), holdMs(random)]
  const pids = node.processes('postgres')
  signal(pids, 'SIGSTOP')
  await world.hold(ms)
  signal(pids, 'SIGCONT')
  return `PostgreSQL of ${node.name} paused for ${ms} ms`
}

// Not the checkpointer: it alone notifies the others that a standby is synchronous now, and where it sleeps over that,
// PostgreSQL 15 to 17 acknowledge what no standby has.
const PAUSABLE = /mintmark mintmark|walsender|walreceiver|walwriter|startup/

const pauseProcess = async (world: World): Promise<string> => {
  const { cluster, random } = world
  const [node, ms] = [(await cluster.leader()) ?? random.pick(cluster.nodes), holdMs(random)]
  const pids = node.processes('postgres').filter(pid => PAUSABLE.test(titleOf(pid)))
  if (pids.length === 0) return 'nothing to pause'
  const pid = random.pick(pids)
  const title = titleOf(pid)
  signal([pid], 'SIGSTOP')
  await world.hold(ms)
  signal([pid], 'SIGCONT')
  return `${title} of ${node.name} paused for ${ms} ms`
}

const cutReplication = async (world: World): Promise<string> => {
  const { cluster, random } = world
  const leader = await cluster.untilWhole()
  const ms = holdMs(random)
  const letGo = leader.links.peer.hold(random.chance(0.5) ? BOTH : [random.pick(BOTH)])
  await world.hold(ms)
  letGo()
  // Its standbys may need a moment to find out.
  await delay(100)
  return `replication from ${leader.name} cut for ${ms} ms`
}

export const NODE_FAULTS: readonly Fault[] = [
  { name: 'leader killed', weight: 2, strike: killLeader },
  { name: 'follower killed', weight: 1, strike: killFollower },
  { name: 'primary crashed', weight: 2, strike: crashLeader },
  { name: 'leader cut off from etcd', weight: 3, strike: cutFromEtcd },
  { name: 'switched over', weight: 2, strike: handOver },
  { name: 'leader frozen', weight: 3, strike: freezeLeader },
  { name: 'PostgreSQL paused', weight: 3, strike: pausePostgres },
  { name: 'process of PostgreSQL paused', weight: 4, strike: pauseProcess },
  { name: 'replication cut', weight: 2, strike: cutReplication },
]
