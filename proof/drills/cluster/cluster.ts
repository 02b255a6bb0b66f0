// Three PostgreSQL nodes under Patroni and etcd on the loopback, as operators run them, for one drill.
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { DrillFolder } from './drill-folder.ts'
import { freePort } from '../../../testkit/processes/free-port.ts'
import { type ClusterNode, makeNode } from './node.ts'
import type { Parts } from './parts.ts'
import { clusterState } from './patroni-state.ts'

export type Cluster = {
  readonly nodes: readonly ClusterNode[]
  readonly database: { readonly name: string; readonly user: string; readonly password: string }
  /** The node that etcd calls the leader, if its own Patroni agrees or does not answer. */
  readonly leader: () => Promise<ClusterNode | undefined>
  /** Waits for another leader than this one, which really is a primary; undefined where none comes in time. */
  readonly untilLedByOther: (before: ClusterNode, ms: number) => Promise<ClusterNode | undefined>
  /** Waits until one node leads and all others stream from it, one of them synchronously. Throws if that does not come. */
  readonly untilWhole: () => Promise<ClusterNode>
  readonly close: () => Promise<void>
}

const NODES = ['one', 'two', 'three']
const WHOLE_MS_MAX = 120_000
/** A standby that streams from nobody for so long is started again, as an operator would do it. */
const STUCK_MS = 45_000
const POLL_MS = 100
const DATABASE = { name: 'mintmark', user: 'mintmark' }

const startEtcd = async (folder: DrillFolder, parts: Parts): Promise<number> => {
  const [client, peer] = [await freePort(), await freePort()]
  const [clients, peers] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`]
  const { account } = parts
  const args = {
    name: 'drill',
    'data-dir': folder.make('etcd/data', account),
    'listen-client-urls': clients,
    'advertise-client-urls': clients,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `drill=${peers}`,
    'log-level': 'error',
    'enable-v2': 'true',
  }
  const flags = Object.entries(args).map(([name, value]) => `--${name}=${value}`)
  folder.launch({ name: 'etcd', program: parts.etcd, args: flags, account })
  return client
}

const findLeader = async (nodes: readonly ClusterNode[]): Promise<ClusterNode | undefined> => {
  const seen = await Promise.all(nodes.map(({ ports }) => clusterState(ports.patroni)))
  const names = seen.map(members => members.find(({ role }) => role === 'leader')?.name)
  // A node that is cut off from etcd reports the last leader that it knew: what most say counts.
  const [name] = names
    .filter(found => found !== undefined)
    .toSorted((a, b) => names.filter(found => found === b).length - names.filter(found => found === a).length)
  return nodes.find(node => node.name === name)
}

const isPrimary = async (node: ClusterNode): Promise<boolean> => {
  const { state, role } = await node.state()
  return state === 'running' && ['master', 'primary'].includes(role)
}

// PostgreSQL calls a standby synchronous before etcd does, and only what etcd names may take over.
const isWhole = async (nodes: readonly ClusterNode[], leader: ClusterNode | undefined): Promise<boolean> => {
  if (leader === undefined || !(await isPrimary(leader))) return false
  const members = await clusterState(leader.ports.patroni)
  if (!members.some(({ role }) => role === 'sync_standby')) return false
  const { replication } = await leader.state()
  return replication.length === nodes.length - 1 && replication.some(({ sync_state }) => sync_state === 'sync')
}

// A crashed primary that Patroni began again while nobody led follows nobody, and Patroni waits for ever until it does more.
const restartStuck = async (nodes: readonly ClusterNode[], leader: ClusterNode | undefined): Promise<void> => {
  if (leader === undefined) return
  const { replication } = await leader.state()
  const streaming = new Set(replication.map(({ application_name }) => application_name))
  for (const node of nodes) {
    if (node === leader || streaming.has(node.name)) continue
    await node.kill('all')
    node.start()
  }
}

const until = async <T>(ms: number, look: () => Promise<T | undefined>): Promise<T | undefined> => {
  for (const end = performance.now() + ms; performance.now() < end; await delay(POLL_MS)) {
    const found = await look()
    if (found !== undefined) return found
  }
  return undefined
}

const prepareDatabase = async (leader: ClusterNode, password: string): Promise<void> => {
  await leader.query(`create role ${DATABASE.user} login password '${password}'`)
  await leader.query(`create database ${DATABASE.name} owner ${DATABASE.user}`)
}

const secret = (): string => randomBytes(16).toString('hex')

/** Starts the cluster and makes an empty database in it. */
export const startCluster = async (folder: DrillFolder, parts: Parts): Promise<Cluster> => {
  const etcdPort = await startEtcd(folder, parts)
  const world = { folder, parts, etcdPort, passwords: { superuser: secret(), replication: secret() } }
  const nodes = await Promise.all(NODES.map(name => makeNode(name, world)))
  for (const node of nodes) node.start()
  const leader = (): Promise<ClusterNode | undefined> => findLeader(nodes)
  const look = async (): Promise<ClusterNode | undefined> => {
    const led = await leader()
    return (await isWhole(nodes, led)) ? led : undefined
  }
  const untilWhole = async (): Promise<ClusterNode> => {
    let found = await until(STUCK_MS, look)
    if (found === undefined) {
      await restartStuck(nodes, await leader())
      found = await until(WHOLE_MS_MAX - STUCK_MS, look)
    }
    if (found === undefined) throw new Error(`The cluster was not whole within ${WHOLE_MS_MAX / 1000} s: see its logs.`)
    return found
  }
  const password = secret()
  await prepareDatabase(await untilWhole(), password)
  return {
    nodes,
    database: { ...DATABASE, password },
    leader,
    untilWhole,
    untilLedByOther: (before, ms) =>
      until(ms, async () => {
        const led = await leader()
        return led !== undefined && led !== before && (await isPrimary(led)) ? led : undefined
      }),
    close: async () => {
      await Promise.all(nodes.map(node => node.close()))
    },
  }
}
