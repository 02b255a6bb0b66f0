// A program that is excluded from a database while it has no connection learns it with the next one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { SERVING } from '../../../src/store/postgres/connection/connection.ts'
import { PROGRAM_VERSION } from '../../../src/store/postgres/schema/migrations.ts'
import { createAgent, issue, makeTestStore } from '../../../../testkit/stores/store.ts'
import { execBeside } from '../../../../testkit/stores/store-file.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const END_SESSIONS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = '${SERVING}'`

test('a program that later tokens exclude serves no more once it connects again', async t => {
  const { store, file, dispose } = await makeTestStore(null)
  t.after(dispose)
  const [token] = await issue(store, await createAgent(store), {})
  assert.ok(token)
  await execBeside(file, `update migration set oldest_program = ${PROGRAM_VERSION + 1} where name = 'principals'`)
  assert.equal((await store.ledger.find([token]))[0]?.dead, false)
  await execBeside(file, END_SESSIONS)
  const refused = (fault: unknown) =>
    fault instanceof Unavailable && /is of a newer version of Mintmark/.test(fault.message)
  await assert.rejects(store.ledger.find([token]), refused)
})
