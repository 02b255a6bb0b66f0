// Faults of PostgreSQL are distinguished by what is the same in every language: its messages are in that of lc_messages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { isPartitionMissing } from '../../../src/store/postgres/connection/faults.ts'
import { makeTestDatabase, withClient } from '../../../../testkit/databases/postgres-cluster.ts'

const faultOf = (url: string, text: string): Promise<pg.DatabaseError> =>
  withClient(url, client =>
    client.query(text).then(
      () => assert.fail('It was to fail.'),
      (fault: unknown) => {
        assert.ok(fault instanceof pg.DatabaseError)
        return fault
      },
    ),
  )

const MISSING = `create table parted (n integer) partition by range (n); insert into parted values (1)`
const CHECKED = `create table checked (n integer check (n > 1)); insert into checked values (1)`

test('a missing partition is known for one in every language, and a broken condition is none', async t => {
  const { url, drop } = await makeTestDatabase()
  t.after(drop)
  const [missing, checked] = [await faultOf(url, MISSING), await faultOf(url, CHECKED)]
  for (const message of [missing.message, 'keine Partition von Relation »parted« für die Zeile gefunden', '']) {
    missing.message = message
    assert.ok(isPartitionMissing(missing), message)
    checked.message = message
    assert.ok(!isPartitionMissing(checked), message)
  }
})
