// The PostgreSQL that the tests bring themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestDatabase, runStatement } from '../../../../testkit/databases/postgres-cluster.ts'

test('a test has a real PostgreSQL with a database of its own', async t => {
  const [one, other] = await Promise.all([makeTestDatabase(), makeTestDatabase()])
  t.after(() => Promise.all([one.drop(), other.drop()]))
  await runStatement(one.url, 'create table only_here (n integer)')
  assert.deepEqual(await runStatement(one.url, `select to_regclass('only_here') is null as missing`), [
    { missing: false },
  ])
  assert.deepEqual(await runStatement(other.url, `select to_regclass('only_here') is null as missing`), [
    { missing: true },
  ])
})
