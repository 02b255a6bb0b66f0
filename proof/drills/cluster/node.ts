// One node of the drill's cluster: PostgreSQL under its Patroni, with the links by which others reach it.
import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isThere } from '../../../testkit/processes/end-child.ts'
import type { DrillFolder } from './drill-folder.ts'
import { freePort } from '../../../testkit/processes/free-port.ts'
import { type Link, openLink } from '../../../testkit/proxies/link.ts'
import type { Parts } from './parts.ts'
import { type NodeState, nodeState } from './patroni-state.ts'
import { patroniSettings, SUPERUSER } from './patroni-settings.ts'
import { killIn, processesIn, signal } from '../../../testkit/processes/processes.ts'

/** What of a node a fault hits. */
type NodePart = 'patroni' | 'postgres' | 'all'

export type ClusterNode = {
  readonly name: string
  readonly ports: { readonly postgres: number; readonly patroni: number }
  /** `peer`: PostgreSQL for other nodes; `rest`: Patroni for other nodes; `etcd`: from Patroni to etcd. */
  readonly links: { readonly peer: Link; readonly rest: Link; readonly etcd: Link }
  /** Starts Patroni, which starts PostgreSQL. */
  readonly start: () => void
  readonly processes: (part: NodePart) => readonly number[]
  readonly signal: (part: NodePart, name: NodeJS.Signals) => void
  /** SIGKILL; waits until Patroni is gone where it is meant. */
  readonly kill: (part: NodePart) => Promise<void>
  /** Runs SQL as the superuser through the socket; rows as lines. Rejects where the server does not answer. */
  readonly query: (sql: string, database?: string) => Promise<readonly string[]>
  /** What its Patroni says of it. */
  readonly state: () => Promise<NodeState>
  readonly close: () => Promise<void>
}

type NodeWorld = {
  readonly folder: DrillFolder
  readonly parts: Parts
  readonly etcdPort: number
  readonly passwords: { readonly superuser: string; readonly replication: string }
}

const QUERY_MS_MAX = 5000
const run = promisify(execFile)

const writeSettings = (file: string, text: string, { account }: Parts): void => {
  writeFileSync(file, text, { mode: 0o600 })
  if (account !== undefined) chownSync(file, account.uid, account.gid)
}

export const makeNode = async (name: string, world: NodeWorld): Promise<ClusterNode> => {
  const { folder, parts, etcdPort, passwords } = world
  const { account, postgresFolder } = parts
  const home = folder.make(name, account)
  // Patroni works in its own folder, PostgreSQL in its data: so each can be found and hit alone.
  const patroniFolder = folder.make(`${name}/patroni`, account)
  const dataFolder = join(home, 'data')
  const ports = { postgres: await freePort(), patroni: await freePort() }
  const links = {
    peer: await openLink(ports.postgres),
    rest: await openLink(ports.patroni),
    etcd: await openLink(etcdPort),
  }
  const linkPorts = { peer: links.peer.port, rest: links.rest.port, etcd: links.etcd.port }
  const plan = { name, account, dataFolder, socketFolder: home, postgresFolder, ports, links: linkPorts, passwords }
  const settings = join(home, 'patroni.yml')
  writeSettings(settings, patroniSettings(plan), parts)
  let patroni: ChildProcess | undefined
  const folders = { patroni: patroniFolder, postgres: dataFolder, all: home }
  const processes = (part: NodePart): readonly number[] => processesIn(folders[part])
  return {
    name,
    ports,
    links,
    processes,
    start: () => {
      patroni = folder.launch({ name: `${name}/patroni`, program: parts.patroni, args: [settings], account })
    },
    signal: (part, wanted) => signal(processes(part), wanted),
    kill: async part => {
      const gone = isThere(patroni) ? once(patroni, 'exit') : undefined
      await killIn(folders[part])
      if (part !== 'postgres') await gone
    },
    query: async (sql, database = 'postgres') => {
      const where = ['-h', home, '-p', String(ports.postgres), '-U', SUPERUSER, '-d', database]
      const { stdout } = await run(
        join(postgresFolder, 'psql'),
        ['-XAtq', '-v', 'ON_ERROR_STOP=1', ...where, '-c', sql],
        {
          timeout: QUERY_MS_MAX,
          ...account,
          env: {},
          cwd: home,
        },
      )
      return stdout.split('\n').filter(line => line !== '')
    },
    state: () => nodeState(ports.patroni),
    close: async () => {
      await Promise.all(Object.values(links).map(link => link.close()))
    },
  }
}
