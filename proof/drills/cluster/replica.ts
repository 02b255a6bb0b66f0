// One replica of the service under the replicas drill: the real program with links of its own to every node, which is
// paused, killed and started again.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { isThere } from '../../../testkit/processes/end-child.ts'
import type { Cluster } from './cluster.ts'
import type { DrillFolder } from './drill-folder.ts'
import { freePort } from '../../../testkit/processes/free-port.ts'
import { type Link, openLink } from '../../../testkit/proxies/link.ts'
import { killIn, processesIn, signal } from '../../../testkit/processes/processes.ts'
import type { StepClock } from './step-clock.ts'

export type Replica = {
  readonly name: string
  readonly port: number
  /** The links to PostgreSQL, by name of the node. */
  readonly links: ReadonlyMap<string, Link>
  /** Starts it, again and again as a supervisor would while it finds no primary, until it listens. */
  readonly start: () => Promise<void>
  readonly kill: () => Promise<void>
  readonly signal: (name: NodeJS.Signals) => void
  readonly stepClock: (offMs: number) => void
  /** Kills it, and closes its links. */
  readonly close: () => Promise<void>
}

type ReplicaWorld = {
  readonly folder: DrillFolder
  readonly cluster: Cluster
  /** The program's main file: this tree's, or that of a copy with a defect. */
  readonly program: string
  readonly variables: Readonly<Record<string, string>>
  /** Called when a replica ends though nobody killed it. */
  readonly onDeath: (what: string) => void
}

const PRELOAD = fileURLToPath(new URL('./step-clock.ts', import.meta.url))
const START_MS_MAX = 120_000
const RESTART_MS = 200
const LISTENS = 'Mintmark serves'

/** The address of a database behind these ports of the loopback. */
export const databaseUrl = ({ database }: Cluster, ports: readonly number[]): string => {
  const hosts = ports.map(port => `127.0.0.1:${port}`).join(',')
  return `postgres://${database.user}:${database.password}@${hosts}/${database.name}`
}

/** What becomes of a `serve` that was started with its standard output heard. */
export const untilListening = (child: ChildProcess): Promise<'listens' | 'ended'> =>
  new Promise(resolve => {
    child.once('exit', () => resolve('ended'))
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes(LISTENS)) resolve('listens')
    })
  })

export const makeReplica = async (name: string, world: ReplicaWorld): Promise<Replica> => {
  const { folder, cluster, program, variables, onDeath } = world
  const links = new Map<string, Link>()
  for (const node of cluster.nodes) links.set(node.name, await openLink(node.ports.postgres))
  const port = await freePort()
  const address = databaseUrl(
    cluster,
    Array.from(links.values(), link => link.port),
  )
  const home = folder.make(name)
  const own = { ...variables, PORT: String(port), DATABASE_URL: address, MINTMARK_DATA_DIR: home }
  let child: ChildProcess | undefined
  const launch = async (): Promise<boolean> => {
    const args = ['--import', PRELOAD, program, 'serve']
    const started = folder.launch({ name, program: process.execPath, args, variables: own, isHeard: true })
    child = started
    if ((await untilListening(started)) === 'ended') return false
    started.once('exit', (code, by) => {
      if (by !== 'SIGKILL') onDeath(`Replica ${name} ended by itself, with ${by ?? code}.`)
    })
    return true
  }
  const kill = async (): Promise<void> => {
    if (!isThere(child)) return
    const gone = once(child, 'exit')
    await killIn(home)
    await gone
  }
  return {
    name,
    port,
    links,
    start: async () => {
      const until = performance.now() + START_MS_MAX
      while (!(await launch())) {
        if (performance.now() > until) throw new Error(`Replica ${name} does not start: see its log.`)
        await delay(RESTART_MS)
      }
    },
    kill,
    signal: wanted => signal(processesIn(home), wanted),
    stepClock: clockOffMs => {
      if (isThere(child)) child.send({ clockOffMs } satisfies StepClock, () => undefined)
    },
    close: async () => {
      await kill()
      await Promise.all(Array.from(links.values(), link => link.close()))
    },
  }
}
