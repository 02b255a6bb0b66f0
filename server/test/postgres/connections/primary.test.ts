// Which server of a cluster is used, and which is refused.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import type { DatabaseAddress } from '../../../src/store/postgres/connection/address.ts'
import { makeFailOvers } from '../../../src/store/postgres/connection/fail-overs.ts'
import { migratePostgresStore } from '../../../src/store/postgres/schema/migrate.ts'
import { PROGRAM_VERSION } from '../../../src/store/postgres/schema/migrations.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { connectToPrimary } from '../../../src/store/postgres/connection/primary.ts'
import { StoreProblem } from '../../../src/store/store-problem.ts'
import { makeTestDatabase, runStatement } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, withConnection } from '../../../../testkit/databases/postgres-store.ts'

const makeDatabase = async (t: TestContext, more: Partial<DatabaseAddress> = {}) => {
  const database = await makeTestDatabase()
  t.after(database.drop)
  return { ...database, address: await addressOf(database.name, more) }
}

const problem = (pattern: RegExp) => (fault: unknown) => fault instanceof StoreProblem && pattern.test(fault.message)

test('of several hosts the one that is a primary is used, wherever it stands', async t => {
  const { address } = await makeDatabase(t)
  const nobody = { host: '127.0.0.1', port: 1 }
  for (const hosts of [
    [nobody, ...address.hosts],
    [...address.hosts, nobody],
  ]) {
    const connection = await connectToPrimary({ address: { ...address, hosts }, timing: TIMING })
    assert.deepEqual((await connection.ask({ text: 'select 1 as one' })).rows, [{ one: 1 }])
    await connection.close()
  }
  await assert.rejects(connectToPrimary({ address: { ...address, hosts: [nobody] }, timing: TIMING }), Unavailable)
})

test('a server that takes no writes is not used, and is called no standby where it is none', async t => {
  const { address, url, name } = await makeDatabase(t)
  await runStatement(url, `alter database ${name} set default_transaction_read_only = on`)
  await assert.rejects(
    connectToPrimary({ address, timing: TIMING }),
    /takes no writes: default_transaction_read_only is on there\.$/,
  )
})

test('a server without fsync or whole pages is refused by name, unless that is allowed', async t => {
  const { address } = await makeDatabase(t)
  await assert.rejects(
    connectToPrimary({ address: { ...address, allowed: [] }, timing: TIMING }),
    problem(/MINTMARK_ALLOW_UNSAFE_DATABASE=fsync\.$/),
  )
  const half = connectToPrimary({ address: { ...address, allowed: ['fsync'] }, timing: TIMING })
  await assert.rejects(half, problem(/MINTMARK_ALLOW_UNSAFE_DATABASE=full_page_writes\.$/))
})

test('each connection waits for the disk and the standby, whatever the database says', async t => {
  const { address, url, name } = await makeDatabase(t)
  await runStatement(url, `alter database ${name} set synchronous_commit = off`)
  const shown = await withConnection(address, connection => connection.ask({ text: 'show synchronous_commit' }))
  assert.deepEqual(shown.rows, [{ synchronous_commit: 'on' }])
})

test('a database that is empty, or of another program, is not served from', async t => {
  const { address, url } = await makeDatabase(t)
  await assert.rejects(
    openPostgresStore({ address, timing: TIMING, retention: null }),
    problem(/is not set up yet: run 'mintmark migrate'/),
  )
  await runStatement(url, 'create table migration (id integer)')
  const migration = migratePostgresStore({ address, timing: TIMING, madeBy: 'migrate', now: Date.now() })
  await assert.rejects(migration, problem(/holds tables of another program/))
})

test('of two that migrate at once one does it, and the other finds it done', async t => {
  const { address, url } = await makeDatabase(t)
  const migrate = () => migratePostgresStore({ address, timing: TIMING, madeBy: 'migrate', now: Date.now() })
  const versions = await Promise.all([migrate(), migrate()])
  assert.deepEqual(
    versions.map(({ from }) => from).toSorted((a, b) => a - b),
    [0, PROGRAM_VERSION],
  )
  assert.deepEqual(await runStatement(url, 'select count(*) from service'), [{ count: '1' }])
})

test('a program that is too old for the schema, or too new, says so', async t => {
  const { address, url } = await makeDatabase(t)
  await migratePostgresStore({ address, timing: TIMING, madeBy: 'migrate', now: Date.now() })
  const open = () => openPostgresStore({ address, timing: TIMING, retention: null })
  await runStatement(url, `insert into migration values (${PROGRAM_VERSION + 1}, 'later', 1, 0)`)
  await (await open()).close()
  await runStatement(url, `update migration set oldest_program = version where name = 'later'`)
  await assert.rejects(open(), problem(/is of a newer version of Mintmark/))
})

test('what is remembered of numbers is forgotten when another server has become the primary, and not before', () => {
  const { connected, onFailOver } = makeFailOvers()
  let forgotten = 0
  onFailOver(() => (forgotten += 1))
  for (const [timeline, times] of [
    ['00000009', 0],
    ['00000009', 0],
    ['0000000A', 1],
    ['00000009', 1],
    ['0000000A', 1],
    ['0000000B', 2],
  ] as const) {
    connected(timeline)
    assert.equal(forgotten, times, timeline)
  }
})

test('each connection of a store reports the timeline of its server before it is used', async t => {
  const { address } = await makeDatabase(t)
  const reported: string[] = []
  const connection = await connectToPrimary(
    { address, timing: TIMING },
    { onTimeline: timeline => void reported.push(timeline) },
  )
  await connection.close()
  assert.deepEqual(reported, ['00000001'])
})
