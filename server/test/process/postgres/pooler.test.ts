// What a pooler between the service and its database can break: a session that is not one.
import assert from 'node:assert/strict'
import { after, before, type TestContext } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import type { DatabaseAddress } from '../../../src/store/postgres/connection/address.ts'
import { connect } from '../../../src/store/postgres/connection/connection.ts'
import { resetDatabaseClock } from '../../../src/store/offline/postgres/act-alone.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { keepPartitions } from '../../../src/store/postgres/partitions/partition-maintenance.ts'
import { connectToPrimary, connectUnhurried } from '../../../src/store/postgres/connection/primary.ts'
import { makeTransactions } from '../../../src/store/postgres/writer/transactions.ts'
import { StoreProblem } from '../../../src/store/store-problem.ts'
import { findPooler, type Pooler, startPooler, testWithPooler } from '../../../../testkit/databases/pooler.ts'
import { runStatement } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf } from '../../../../testkit/databases/postgres-store.ts'
import { makeStoreDatabase } from '../../../../testkit/databases/postgres-template.ts'
import { act, KEEP_LONG, START } from '../../../../testkit/stores/store.ts'

let pooler: Pooler

before(async () => {
  if (findPooler() !== undefined) pooler = await startPooler({ pool_mode: 'transaction' })
})
after(async () => {
  if (findPooler() !== undefined) await pooler.stop()
})

const makeWorld = async (t: TestContext, through: Partial<DatabaseAddress> = pooler.through) => {
  const database = await makeStoreDatabase(START)
  t.after(database.drop)
  return { database, address: await addressOf(database.name, through) }
}

const open = async (t: TestContext, address: DatabaseAddress) => {
  const connection = await connectToPrimary({ address, timing: TIMING })
  t.after(connection.destroy)
  return connection
}

/** A pooler of its own, until the end of the test. */
const start = async (t: TestContext, settings: Readonly<Record<string, string>>) => {
  const started = await startPooler(settings)
  t.after(started.stop)
  return started
}

testWithPooler('behind a pooler each transaction makes its settings, and leaves none', async t => {
  const { database, address } = await makeWorld(t)
  await runStatement(database.url, `alter database ${database.name} set synchronous_commit = off`)
  const connection = await open(t, address)
  const { once, write, read } = makeTransactions({ address, timing: TIMING })
  const show = {
    text: `select current_setting('synchronous_commit') as sync, current_setting('statement_timeout') as most,
      current_setting('plan_cache_mode') as plans`,
  }
  const ours = [{ sync: 'on', most: '4s', plans: 'force_generic_plan' }]
  const ask = () => connection.ask(show)
  for (const shown of [await once(connection, show), await write(connection, ask), await read(connection, ask)]) {
    assert.deepEqual(shown.rows, ours)
  }
  assert.deepEqual((await ask()).rows, [{ sync: 'off', most: '0', plans: 'auto' }])
})

testWithPooler('behind a pooler the maintenance of partitions leaves no lock and no setting behind', async t => {
  const { database, address } = await makeWorld(t)
  const keep = (now: number) => keepPartitions(() => connectUnhurried({ address, timing: TIMING }), KEEP_LONG, now)
  const later = START + 10 * 86_400_000
  await Promise.all([keep(later), keep(later)])
  await keep(later)
  const names = await runStatement(database.url, `select 1 from pg_class where relname = 'token_20261121'`)
  assert.deepEqual(names, [])
  const left = `select locktype from pg_locks
    where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`
  assert.deepEqual(await runStatement(database.url, left), [])
  const connection = await open(t, address)
  const { rows } = await connection.ask({ text: `select current_setting('lock_timeout') as most` })
  assert.deepEqual(rows, [{ most: '0' }])
})

testWithPooler('of a server on another timeline nothing is asked before what was remembered is forgotten', async t => {
  const { database, address } = await makeWorld(t)
  const connection = await open(t, address)
  for (const seen of ['another', 'older'] as const) {
    const { once, writeAtOnce, write } = makeTransactions({ address, timing: TIMING }, () => seen)
    const asked = { text: 'create table asked (n integer)' }
    await assert.rejects(once(connection, asked), Unavailable)
    await assert.rejects(writeAtOnce(connection, [asked]), Unavailable)
    await assert.rejects(
      write(connection, () => connection.ask(asked)),
      Unavailable,
    )
  }
  assert.deepEqual(await runStatement(database.url, `select to_regclass('asked') is null as missing`), [
    { missing: true },
  ])
  // The connection is as good as before: no transaction was left open.
  await makeTransactions({ address, timing: TIMING }).write(connection, () =>
    connection.ask({ text: 'create table asked (n integer)' }),
  )
})

testWithPooler(
  'a pooler that takes no settings of a session is refused by name, and so is one that passes them over',
  async t => {
    const session = { pooling: 'session' as const }
    const strict = await start(t, { pool_mode: 'session' })
    const lax = await start(t, { pool_mode: 'session', ignore_startup_parameters: 'options' })
    for (const { through } of [strict, lax]) {
      const { address } = await makeWorld(t, { ...through, ...session })
      await assert.rejects(openPostgresStore({ address, timing: TIMING, retention: null }), fault => {
        assert.ok(fault instanceof StoreProblem)
        assert.match(
          fault.message,
          /^A pooler stands .*: set MINTMARK_DATABASE_POOLING=transaction, whatever its pool_mode/,
        )
        return true
      })
      const store = await openPostgresStore({
        address: { ...address, pooling: 'transaction' },
        timing: TIMING,
        retention: null,
      })
      assert.equal(await store.health.check(), null)
      await store.close()
    }
  },
)

testWithPooler('a pooler that gives each statement another connection is refused', async t => {
  const { through } = await start(t, { pool_mode: 'statement' })
  const { address } = await makeWorld(t, through)
  await assert.rejects(openPostgresStore({ address, timing: TIMING, retention: null }), fault => {
    assert.ok(fault instanceof StoreProblem)
    assert.match(fault.message, /pool_mode = statement/)
    return true
  })
})

testWithPooler(
  'a statement that was prepared on another server is no fault of ours, and names the setting',
  async t => {
    const { through } = await start(t, { pool_mode: 'transaction', ignore_startup_parameters: 'options' })
    const { address } = await makeWorld(t, { ...through, pooling: 'session' })
    const [host] = through.hosts
    assert.ok(host)
    const [one, other] = [
      await connect({ address, timing: TIMING }, host),
      await connect({ address, timing: TIMING }, host),
    ]
    t.after(one.destroy)
    t.after(other.destroy)
    const named = { text: 'select 1', name: 'named' }
    await one.ask(named)
    // The other takes the server that it was prepared on.
    await other.ask({ text: 'begin' })
    await assert.rejects(one.ask(named), fault => {
      assert.ok(fault instanceof Unavailable)
      assert.match(fault.message, /set MINTMARK_DATABASE_POOLING=transaction/)
      return true
    })
  },
)

testWithPooler('a command that acts on a whole store is refused behind a pooler', async t => {
  const { address } = await makeWorld(t)
  await assert.rejects(
    resetDatabaseClock({ address, timing: TIMING }, act('clock.reset')),
    /name the database itself in DATABASE_URL/,
  )
})
