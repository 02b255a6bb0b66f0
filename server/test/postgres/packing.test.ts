// A closed partition on PostgreSQL has its indexes packed, and serves as before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepPartitions } from '../../src/store/postgres/partition-upkeep.ts'
import { connectPatiently } from '../../src/store/postgres/primary.ts'
import { databaseOf } from '../support/postgres-cluster.ts'
import { addressOf } from '../support/postgres-store.ts'
import { act, createAgent, issue, KEEP_LONG, makeTestStore, START } from '../support/store.ts'
import { countRows } from '../support/store-file.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const ROOMY = `pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = 'token_20261121'::regclass and not coalesce(c.reloptions, '{}') @> '{fillfactor=100}'`

test('the indexes of a day are packed as soon as it is over, and hold its living tokens without room for others', async t => {
  const { store, clock, file, dispose } = await makeTestStore(null)
  t.after(dispose)
  const [agent, address] = [await createAgent(store), await addressOf(databaseOf(file))]
  const [token] = await issue(store, agent, { lifetimeSeconds: 86_400 })
  assert.ok(token)
  const keep = () => keepPartitions(() => connectPatiently(address), KEEP_LONG, clock.wall())
  const isPacked = () => countRows(file, `pg_description where objoid = 'token_20261121'::regclass`) > 0
  // A token with an id of the day could still come a moment after it.
  clock.advance(Date.UTC(2026, 10, 22) + 300_000 - 1 - START)
  await keep()
  assert.ok(!isPacked() && countRows(file, ROOMY) === 3)
  clock.advance(1)
  await keep()
  assert.ok(isPacked() && countRows(file, ROOMY) === 0)
  assert.ok((await store.ledger.find([token]))[0]?.dead === false)
  assert.equal(await store.ledger.end(token, 'manual_revocation', act('token.revoke')), 'ended')
})
