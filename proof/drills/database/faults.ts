// What befalls a database: how each fault is made and mended, and which operations cannot be answered meanwhile.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { BOTH, type Link } from '../../../testkit/proxies/link.ts'
import { type DatabaseServer, HBA, ROLE } from './database-server.ts'
import { type Operation, OPERATIONS } from './operations.ts'

export type Stage = { readonly server: DatabaseServer; readonly link: Link }

export type Fault = {
  readonly name: string
  /** Makes it; what it gives mends it. */
  readonly strike: (stage: Stage) => Promise<() => Promise<unknown> | void>
  /** What must be 503 as long as it lasts; all else may be, or is answered rightly. */
  readonly stops: readonly Operation[]
  /** Nothing is 503. */
  readonly spares?: boolean
  /** What is 503 only once something is used up: it is asked until then. */
  readonly exhausts?: Operation
  /** Whether it needs a disk that can be filled. */
  readonly needsDisk?: boolean
}

const ALL = OPERATIONS
/** What writes tokens. */
const WRITING: readonly Operation[] = ['issue', 'exchange', 'revoke', 'revoke own']

const END_SESSIONS = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${ROLE.name}'`
const SESSIONS = `select 1 from pg_stat_activity where usename = '${ROLE.name}'`

/** Sessions that were let in before are ended. */
const shutOut = async ({ server }: Stage, how: string, back: string): Promise<() => Promise<unknown>> => {
  await server.ask(how)
  await server.ask(END_SESSIONS)
  return () => server.ask(back)
}

const RELOAD = 'select pg_reload_conf()'

/** Sets the server otherwise, for sessions that connect from then on. */
const setTo = async (stage: Stage, setting: string, value: string): Promise<() => Promise<unknown>> => {
  await stage.server.ask(`alter system set ${setting} = ${value}`)
  const mend = await shutOut(stage, RELOAD, RELOAD)
  return async () => {
    await stage.server.ask(`alter system reset ${setting}`)
    await mend()
  }
}

const restart = async ({ server }: Stage): Promise<void> => {
  await server.stop('immediate')
  await server.start()
}

/** Takes every connection there is, but for those that are kept for the owner; what they hold until they are closed. */
const takeConnections = async ({ server }: Stage): Promise<() => Promise<unknown>> => {
  const taken: pg.Client[] = []
  const takeAll = async (): Promise<void> => {
    for (;;) {
      const client = await server.openGreedy().catch(() => undefined)
      if (client === undefined) return
      taken.push(client)
    }
  }
  do {
    await server.ask(END_SESSIONS)
    await takeAll()
  } while ((await server.ask(SESSIONS)).length > 0)
  return () => Promise.all(taken.map(client => client.end()))
}

const hold = async ({ server }: Stage, lock: string): Promise<() => Promise<unknown>> => {
  const client = await server.open(ROLE.database)
  await client.query('begin')
  await client.query(lock)
  return () => client.end()
}

const PIECE = Buffer.alloc(65_536, 1)

/** Fills the disk to the last byte. */
const fillDisk = ({ server }: Stage): (() => void) => {
  const ballast = join(server.folder, 'ballast')
  const file = openSync(ballast, 'w')
  for (const size of [PIECE.length, 4096]) {
    try {
      for (;;) writeSync(file, PIECE, 0, size)
    } catch (fault) {
      if (!(fault instanceof Error && 'code' in fault && fault.code === 'ENOSPC')) throw fault
    }
  }
  closeSync(file)
  return () => rmSync(ballast)
}

// The server uses the files of its log again, unless somebody may still want to read them.
const KEEP_LOG = `select pg_create_physical_replication_slot('hoarder', true)`
const FORGET_LOG = `select pg_drop_replication_slot('hoarder')`
const LOG_FILES_MAX = 64

/** Begins files of the log until there is room for none, and the server stops itself. */
const useUpLog = async ({ server }: Stage): Promise<void> => {
  for (let n = 0; n < LOG_FILES_MAX; n += 1) {
    try {
      await server.ask('create table public.grown (n integer); drop table public.grown')
      await server.ask('select pg_switch_wal()')
    } catch {
      return
    }
  }
  throw new Error('The log of the database found room on a full disk.')
}

const fillLog = async (stage: Stage): Promise<() => Promise<void>> => {
  const { server } = stage
  await server.ask(KEEP_LOG)
  const free = fillDisk(stage)
  await useUpLog(stage)
  return async () => {
    free()
    await server.revive()
    await server.ask(FORGET_LOG)
  }
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'away: nobody listens',
    stops: ALL,
    strike: async ({ server }) => {
      await server.stop('fast')
      return server.start
    },
  },
  {
    name: 'away: connections are taken and never answered',
    stops: ALL,
    strike: ({ link }) => Promise.resolve(link.hold(BOTH)),
  },
  {
    name: 'away: what it says does not arrive',
    stops: ALL,
    strike: ({ link }) => Promise.resolve(link.hold(['back'])),
  },
  {
    name: 'frozen: every process of it is stopped',
    stops: ALL,
    strike: async ({ server }) => {
      server.signalAll('SIGSTOP')
      return () => server.signalAll('SIGCONT')
    },
  },
  {
    name: 'slow: ten milliseconds more each way',
    stops: [],
    spares: true,
    strike: ({ link }) => Promise.resolve(link.delay(10)),
  },
  {
    name: 'slow: three seconds more each way',
    stops: ALL,
    strike: async ({ link }) => {
      const end = link.delay(3000)
      return async () => {
        end()
        // It is over once what was on its way has arrived.
        await delay(3000)
      }
    },
  },
  {
    name: 'slow: somebody holds a lock on tokens',
    stops: WRITING,
    strike: stage => hold(stage, 'lock table token in share row exclusive mode'),
  },
  {
    name: 'slow: somebody holds a lock on the row of the service',
    stops: ['revoke', 'revoke own', 'act', 'ready'],
    strike: stage => hold(stage, 'select one from service for update'),
  },
  {
    name: 'slow: somebody holds the whole table of the service',
    stops: ALL,
    strike: stage => hold(stage, 'lock table service in access exclusive mode'),
  },
  {
    name: 'full: no room for tokens',
    needsDisk: true,
    stops: [],
    exhausts: 'issue',
    strike: stage => Promise.resolve(fillDisk(stage)),
  },
  {
    name: 'full: no room for the log, and it stops itself',
    needsDisk: true,
    stops: [],
    exhausts: 'act',
    strike: fillLog,
  },
  { name: 'out of connections', stops: ALL, strike: takeConnections },
  {
    name: 'out of connections: the limit of the role',
    stops: ALL,
    strike: stage =>
      shutOut(stage, `alter role ${ROLE.name} connection limit 0`, `alter role ${ROLE.name} connection limit -1`),
  },
  {
    name: 'refusing: another password',
    stops: ALL,
    strike: stage =>
      shutOut(stage, `alter role ${ROLE.name} password 'other'`, `alter role ${ROLE.name} password '${ROLE.password}'`),
  },
  {
    name: 'refusing: pg_hba.conf',
    stops: ALL,
    strike: async stage => {
      stage.server.setFile('pg_hba.conf', 'local all all trust\nhost all all 127.0.0.1/32 reject\n')
      const reload = await shutOut(stage, RELOAD, RELOAD)
      return () => {
        stage.server.setFile('pg_hba.conf', HBA)
        return reload()
      }
    },
  },
  {
    name: 'refusing: privileges taken away',
    stops: ['issue', 'introspect', 'introspect ended', 'revoke', 'revoke own', 'list'],
    strike: async ({ server }) => {
      const client = await server.open(ROLE.database)
      await client.query(`revoke all on token from ${ROLE.name}`)
      return async () => {
        await client.query(`grant all on token to ${ROLE.name}`)
        await client.end()
      }
    },
  },
  {
    name: 'read-only',
    stops: ALL,
    strike: stage => setTo(stage, 'default_transaction_read_only', 'on'),
  },
  {
    name: 'unsafe: pages are no longer written whole',
    stops: ALL,
    strike: stage => setTo(stage, 'full_page_writes', 'off'),
  },
  {
    name: 'in recovery: it has become a standby',
    stops: ALL,
    strike: async stage => {
      stage.server.setFile('standby.signal', '')
      await restart(stage)
      return () => {
        stage.server.setFile('standby.signal', null)
        return restart(stage)
      }
    },
  },
  {
    name: 'starting up, for ever',
    stops: ALL,
    strike: async stage => {
      const { server } = stage
      await server.ask('alter system set hot_standby = off')
      server.setFile('standby.signal', '')
      await restart(stage)
      return async () => {
        server.setFile('standby.signal', null)
        server.setFile('postgresql.auto.conf', '')
        await restart(stage)
      }
    },
  },
  {
    name: 'restarted, as after a crash',
    stops: [],
    strike: async stage => {
      await restart(stage)
      return () => undefined
    },
  },
  {
    name: 'its connections are ended',
    stops: [],
    strike: async ({ server }) => {
      await server.ask(END_SESSIONS)
      return () => undefined
    },
  },
]
