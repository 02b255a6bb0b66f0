// Databases for a bench: of the PostgreSQL that npm brought, or of one whose address is given.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { DatabaseAddress } from '../../../server/src/store/postgres/connection/address.ts'
import { databaseUrl, testCluster, withClient } from '../../../testkit/databases/postgres-cluster.ts'

/** `settings`: in the words of the server, so that a figure names what it was measured on. */
export type DatabaseServer = { readonly url: string; readonly settings: string }

const SETTINGS = [
  'server_version',
  'shared_buffers',
  'fsync',
  'full_page_writes',
  'wal_level',
  'max_wal_size',
  'autovacuum',
]

const SHOWN = `select string_agg(name || ' ' || current_setting(name), ', ') as shown from unnest($1::text[]) as name`

// Vacuuming is part of the filling, where it is done as autovacuum would; in the middle of a measurement it would be a neighbor.
const QUIET = [
  'alter system set autovacuum = off',
  `alter system set max_wal_size = '8GB'`,
  `alter system set maintenance_work_mem = '512MB'`,
  'select pg_reload_conf()',
]

/** `url` '': one is started, and ends with this process. */
export const findServer = async (given: string): Promise<DatabaseServer> => {
  const url = given === '' ? databaseUrl(await testCluster(), 'postgres') : given
  const settings = await withClient(url, async client => {
    if (given === '') for (const text of QUIET) await client.query(text)
    const { rows } = await client.query<{ shown: string }>(SHOWN, [SETTINGS])
    return rows[0]?.shown ?? ''
  })
  return { url, settings }
}

const inServer = (url: string, database: string): string => {
  const [, before, after = ''] = /^([^?]*\/)[^/?]*(\?.*)?$/.exec(url) ?? []
  if (before === undefined) throw new Error('The address of the server is none: postgres://USER@HOST/DATABASE')
  return `${before}${database}${after}`
}

export type BenchDatabase = { readonly url: string; readonly name: string; readonly drop: () => Promise<void> }

export const makeDatabase = async ({ url }: DatabaseServer): Promise<BenchDatabase> => {
  const name = `bench_${randomUUID().replaceAll('-', '')}`
  await withClient(url, client => client.query(`create database ${name} template template0`))
  const drop = async (): Promise<void> => {
    await withClient(url, client => client.query(`drop database if exists ${name} with (force)`))
  }
  return { url: inServer(url, name), name, drop }
}

/** Returns the address in the form that the store takes. */
export const addressOf = ({ url }: BenchDatabase): DatabaseAddress => {
  const { host, port, database, user, password } = new pg.Client({ connectionString: url })
  return {
    hosts: [{ host, port }],
    database: database ?? '',
    user: user ?? '',
    password: password ?? null,
    tls: null,
    allowed: ['fsync', 'full_page_writes', 'plaintext'],
    pooling: 'session',
    fencedReads: 'auto',
  }
}
