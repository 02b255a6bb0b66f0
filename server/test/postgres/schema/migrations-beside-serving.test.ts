// A migration beside programs that serve: it takes what it needs at once, breaks nobody off, and gives up where it must.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import type { Connection } from '../../../src/store/postgres/connection/connection.ts'
import { migratePostgresStore } from '../../../src/store/postgres/schema/migrate.ts'
import {
  applyMigrations,
  type Migration,
  MIGRATIONS,
  type MigrationOptions,
  PROGRAM_VERSION,
} from '../../../src/store/postgres/schema/migrations.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { StoreProblem } from '../../../src/store/store-problem.ts'
import { makeTestDatabase } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import { act, createAgent, issue, someSigningKey, START, NO_AGENT_FILTERS } from '../../../../testkit/stores/store.ts'
import { countRows, readRows, withFile } from '../../../../testkit/stores/store-file.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

/** However loaded the machine is. */
const PATIENT_MS = 60_000
const FIRST = { madeBy: 'migrate', now: START } as const

/** The order in which no look-up takes its tables. */
const TWO_TABLES: readonly Migration[] = [
  ...MIGRATIONS,
  {
    name: 'two tables',
    sql: 'alter table agent add column extra text; alter table token add column extra text',
    oldestProgram: 1,
  },
]

const APPLIED = { from: PROGRAM_VERSION, to: PROGRAM_VERSION + 1 }

type Patience = Pick<MigrationOptions, 'attempts' | 'timing'>

const RESTLESS: Patience = { attempts: 1000, timing: { ...TIMING, migrationPauseMs: 1 } }

/** Who waits for a table, and how many others it has taken for itself. */
const WAITING = `select (select count(*) from pg_locks held where held.pid = waiting.pid and held.locktype = 'relation'
    and held.mode = 'AccessExclusiveLock' and held.granted) as taken
  from pg_locks waiting where waiting.relation = ?::regclass and not waiting.granted`

const makeWorld = async (t: TestContext) => {
  const { url, name, drop } = await makeTestDatabase()
  t.after(drop)
  const address = await addressOf(name)
  await migratePostgresStore({ address, timing: TIMING, madeBy: 'migrate', now: START })

  /** Gives how many tables it has taken by the time that it waits for this one. */
  const untilWaitsFor = async (table: string, applying: Promise<unknown>): Promise<number> => {
    const state = { isOver: false }
    void applying.catch(() => undefined).finally(() => (state.isOver = true))
    while (!state.isOver) {
      const [waiting] = readRows(url, WAITING, table)
      if (waiting !== undefined) return Number(waiting['taken'])
      await new Promise(setImmediate)
    }
    throw new Error(`It is over, and has not waited for ${table}.`)
  }

  return {
    url,
    address,
    untilWaitsFor,
    apply: (patience: Patience) =>
      withConnection(address, connection =>
        applyMigrations(connection, { ...FIRST, ...patience, migrations: TWO_TABLES }),
      ),
    /** Runs `work` in a transaction that is never broken off for the sake of others before a minute has gone. */
    inTransaction: (work: (connection: Connection) => Promise<void>) =>
      withConnection(address, async connection => {
        await connection.ask({ text: `set deadlock_timeout = '1min'` })
        await connection.ask({ text: 'begin' })
        await work(connection)
        await connection.ask({ text: 'commit' })
      }),
  }
}

const problem = (pattern: RegExp) => (fault: unknown) =>
  fault instanceof StoreProblem && !fault.message.includes('\n') && pattern.test(fault.message)

const countNew = (url: string): number =>
  countRows(url, `information_schema.columns where table_name in ('agent', 'token') and column_name = 'extra'`)

test('a transaction that has locked a table and asks for one that a migration has locked goes on, and the migration is applied after', async t => {
  const { url, apply, untilWaitsFor, inTransaction } = await makeWorld(t)
  const migrating: Promise<unknown>[] = []
  await inTransaction(async reader => {
    await reader.ask({ text: 'select id from token limit 1' })
    const applying = apply(RESTLESS)
    migrating.push(applying)
    await untilWaitsFor('token', applying)
    await reader.ask({ text: 'select n from agent limit 1' })
    assert.equal(countNew(url), 0)
  })
  assert.deepEqual(await Promise.all(migrating), [APPLIED])
  assert.equal(countNew(url), 2)
})

test('a migration takes first what every request reads first: who is under way finishes, and who comes holds nothing', async t => {
  const { apply, untilWaitsFor, inTransaction } = await makeWorld(t)
  const migrating: Promise<unknown>[] = []
  await inTransaction(async reader => {
    await reader.ask({ text: 'select seq from service' })
    const applying = apply(RESTLESS)
    migrating.push(applying)
    assert.equal(await untilWaitsFor('service', applying), 0)
    await reader.ask({ text: 'select count(*) from token, agent' })
  })
  assert.deepEqual(await Promise.all(migrating), [APPLIED])
})

test('where tables stay in use a migration changes nothing and says so, and what serves meanwhile goes on', async t => {
  const { url, address, apply, inTransaction } = await makeWorld(t)
  const store = await openPostgresStore({ address, retention: null, timing: { ...TIMING, storeMs: PATIENT_MS } })
  t.after(store.close)
  await store.signingKeys.createFirst(someSigningKey(), act('signing_key.create'))
  const tokens = await issue(store, await createAgent(store), {})
  await inTransaction(async dump => {
    await dump.ask({ text: 'select count(*) from ended' })
    const state = { isOver: false }
    const applying = apply({ ...RESTLESS, attempts: 2 }).finally(() => (state.isOver = true))
    const refused = assert.rejects(applying, problem(/^Tables .* stayed in use,.* nothing was changed/))
    do assert.equal((await store.ledger.find(tokens))[0]?.dead, false)
    while (!state.isOver)
    await refused
  })
  assert.equal(countNew(url), 0)
  assert.deepEqual(await apply(RESTLESS), APPLIED)
})

test('the spans of audience sets are made from what is there while a backup reads it, and are kept meanwhile', async t => {
  const { url, name, drop } = await makeTestDatabase()
  t.after(drop)
  const address = await addressOf(name)
  const earlier = MIGRATIONS.findIndex(({ name: title }) => title === 'spans of earlier tokens')
  const apply = (migrations: readonly Migration[]) =>
    withConnection(address, connection =>
      applyMigrations(connection, { ...FIRST, timing: TIMING, migrations, attempts: 1 }),
    )
  const insertToken = (id: string, aud: number) =>
    withFile(url, db =>
      db.exec(`insert into token (life, id, digest, agent, cred, key, scope, aud, seq) values
        (300, '${id.repeat(8)}-0000-4000-8000-000000000000', gen_random_uuid(), 1, 1, 1, 1, ${aud}, 1)`),
    )
  await apply(MIGRATIONS.slice(0, earlier - 1))
  withFile(url, db => db.exec('create table token_all partition of token default'))
  insertToken('2', 7)
  await apply(MIGRATIONS.slice(0, earlier))
  insertToken('3', 7)
  await withConnection(address, async backup => {
    await backup.ask({ text: 'begin' })
    await backup.ask({ text: 'lock table token, ended in access share mode' })
    assert.deepEqual(await apply(MIGRATIONS.slice(0, earlier + 1)), { from: earlier, to: earlier + 1 })
    await backup.ask({ text: 'rollback' })
  })
  insertToken('4', 8)
  const spans = readRows(url, `select aud, encode(span, 'hex') as span from audience_span order by aud, span`)
  assert.deepEqual(
    spans.map(({ aud, span }) => [aud, span]),
    [
      [7, '222222'],
      [7, '333333'],
      [8, '444444'],
    ],
  )
})

test('where a column becomes another under a program that serves, what it has prepared fails once and is prepared anew', async t => {
  const { url, address } = await makeWorld(t)
  const store = await openPostgresStore({ address, retention: null, timing: { ...TIMING, storeMs: PATIENT_MS } })
  t.after(store.close)
  await createAgent(store)
  const list = () => store.agents.list({ filters: NO_AGENT_FILTERS, after: null, limit: 2 })
  const [before] = (await list()).records
  // Without a change of what is compared: only the name of the type is another.
  withFile(url, db => db.exec('alter table agent alter description type varchar collate "C"'))
  await assert.rejects(list(), Unavailable)
  assert.deepEqual((await list()).records, [before])
})
