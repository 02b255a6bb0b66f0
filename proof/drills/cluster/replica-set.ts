// What the replicas drill runs on: the cluster, the replicas over it, and what its clients need to know of them.
import { startIdentityProvider } from '../../../testkit/identity-providers/identity-provider.ts'
import type { Access } from '../requests.ts'
import { environmentOf, prepareAccess, type Variables } from '../service-under-drill.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type DrillFolder, makeDrillFolder } from './drill-folder.ts'
import type { Parts } from './parts.ts'
import { databaseUrl, makeReplica, type Replica } from './replica.ts'

export type ReplicaSet = {
  readonly folder: string
  readonly cluster: Cluster
  readonly replicas: readonly Replica[]
  readonly access: Access
  /** Ends everything; the folder with all logs is removed unless it is to be kept for a look. */
  readonly close: (keep: boolean) => Promise<void>
}

type ReplicaSetOptions = {
  readonly parts: Parts
  readonly replicas: number
  /** The main file that the replicas run. */
  readonly program: string
  readonly workers: number | null
  /** Called for a replica that ended though nobody killed it. */
  readonly onDeath: (what: string) => void
  readonly report: (line: string) => void
}

// All replicas have one issuer, as behind a balancer; nobody connects there.
const BALANCER_PORT = 8080

type Closing = (() => Promise<unknown>)[]

const startAll = async (
  folder: DrillFolder,
  options: ReplicaSetOptions,
  closing: Closing,
): Promise<Omit<ReplicaSet, 'close'>> => {
  const { parts, program, workers, onDeath, report } = options
  const cluster = await startCluster(folder, parts)
  closing.push(cluster.close)
  report('the cluster is whole')
  const provider = await startIdentityProvider()
  closing.push(() => provider.close())
  const ports = cluster.nodes.map(node => node.ports.postgres)
  const commands: Variables = {
    ...environmentOf(folder.make('commands'), BALANCER_PORT, provider),
    DATABASE_URL: databaseUrl(cluster, ports),
  }
  const access = await prepareAccess(commands, BALANCER_PORT, provider)
  const variables = { ...commands, ...(workers !== null && { MINTMARK_WORKERS: String(workers) }) }
  const names = Array.from({ length: options.replicas }, (_, n) => `r${n + 1}`)
  const world = { folder, cluster, program, variables, onDeath }
  const replicas = await Promise.all(names.map(name => makeReplica(name, world)))
  closing.push(...replicas.map(replica => replica.close))
  await Promise.all(replicas.map(replica => replica.start()))
  report(`${replicas.length} replicas serve`)
  return { folder: folder.path, cluster, replicas, access: { ...access, port: replicas[0]?.port ?? 0 } }
}

/** Starts the replica set. If any part cannot be started, what was started ends, and the folder stays. */
export const startReplicaSet = async (options: ReplicaSetOptions): Promise<ReplicaSet> => {
  const folder = makeDrillFolder()
  options.report(`all logs are in ${folder.path}`)
  const closing: Closing = []
  const close = async (keep: boolean): Promise<void> => {
    await folder.close(keep)
    await Promise.all(closing.map(end => end()))
  }
  try {
    return { ...(await startAll(folder, options, closing)), close }
  } catch (fault) {
    await close(true)
    throw fault
  }
}
