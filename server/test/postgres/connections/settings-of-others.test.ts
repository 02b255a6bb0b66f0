// What a database or a role may have as its own, set by its administrator: it changes no answer of ours, or we refuse to
// run with it. What can be set for all is set in the cluster of the tests (shared-postgres-process.ts), for every test at once.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { migratePostgresStore } from '../../../src/store/postgres/schema/migrate.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { connectUnhurried } from '../../../src/store/postgres/connection/primary.ts'
import { StoreProblem } from '../../../src/store/store-problem.ts'
import { makeTestDatabase, runStatement } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import { createAgent, NO_AGENT_FILTERS } from '../../../../testkit/stores/store.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

/** A database that a role of its own owns, which is no superuser. */
const makeWorld = async (t: TestContext) => {
  const { url, name, drop } = await makeTestDatabase()
  const user = `role_${randomUUID().replaceAll('-', '')}`
  const ask = (text: string) => runStatement(url, text)
  await ask(`create role ${user} login`)
  await ask(`alter database ${name} owner to ${user}`)
  t.after(async () => {
    await ask(`reassign owned by ${user} to mintmark`)
    await drop()
    await runStatement(url.replace(name, 'postgres'), `drop role ${user}`)
  })
  const address = await addressOf(name, { user })
  return {
    ask,
    user,
    address,
    set: (setting: string) => ask(`alter role ${user} in database ${name} set ${setting}`),
    migrate: () => migratePostgresStore({ address, timing: TIMING, madeBy: 'migrate', now: Date.now() }),
    open: async () => {
      const store = await openPostgresStore({ address, timing: TIMING, retention: null })
      t.after(() => store.close())
      return store
    },
  }
}

const problem = (pattern: RegExp) => (fault: unknown) =>
  fault instanceof StoreProblem && !fault.message.includes('\n') && pattern.test(fault.message)

test('where a policy of the database would hide rows from the service it says so, and answers as if there were none to nobody', async t => {
  const { ask, migrate, open } = await makeWorld(t)
  await migrate()
  const store = await open()
  await createAgent(store)
  const list = () => store.agents.list({ filters: NO_AGENT_FILTERS, after: null, limit: 2 })
  assert.equal((await list()).records.length, 1)
  await ask('alter table agent enable row level security')
  assert.equal((await list()).records.length, 1, 'an owner sees everything')
  await ask('alter table agent force row level security')
  await assert.rejects(list(), fault => fault instanceof Unavailable && /row-level security/.test(fault.message))
})

test('what takes long is not broken off by a limit for transactions that the role has', async t => {
  const { set, address } = await makeWorld(t)
  await set(`transaction_timeout = '100ms'`)
  await withConnection(address, async () => {
    const connection = await connectUnhurried({ address, timing: TIMING })
    t.after(connection.close)
    await connection.ask({ text: 'begin' })
    await connection.ask({ text: 'select pg_sleep(0.4)' })
    assert.equal((await connection.ask({ text: 'commit' })).command, 'COMMIT')
  })
})

test('a search_path that names no schema is refused before anything is made', async t => {
  const { set, migrate } = await makeWorld(t)
  await set(`search_path = ''`)
  await assert.rejects(migrate(), problem(/^The search_path of the role names no schema .* expected one that is there/))
})

test('a schema that has come before that of the tables in the search_path is refused, for partitions would be made in it', async t => {
  const { ask, user, migrate, open } = await makeWorld(t)
  await migrate()
  await ask(`create schema ${user} authorization ${user}`)
  const refused = problem(
    new RegExp(`are in the schema public, and search_path begins with ${user}: .* search_path = public`),
  )
  await assert.rejects(open(), refused)
  await assert.rejects(migrate(), refused)
  await ask(`drop schema ${user}`)
  await open()
})
