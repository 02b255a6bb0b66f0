// A closed partition on PostgreSQL has its indexes packed, and serves as before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TIMING } from '../../../src/ports/timing.ts'
import { keepPartitions } from '../../../src/store/postgres/partitions/partition-maintenance.ts'
import { connectPatiently } from '../../../src/store/postgres/connection/primary.ts'
import { until } from '../../../../testkit/processes/until.ts'
import { databaseOf, runStatement } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import { act, createAgent, issue, KEEP_LONG, makeTestStore, START } from '../../../../testkit/stores/store.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'

const DAY_MS = 86_400_000
const WAITING = `pg_stat_activity where datname = current_database() and query like 'reindex%' and wait_event_type = 'Lock'`

process.env['MINTMARK_TEST_STORE'] = 'postgres'

/** Of a partition of tokens. */
const INDEXES = 7

const ROOMY = `pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = 'token_20261121'::regclass and not coalesce(c.reloptions, '{}') @> '{fillfactor=100}'`

test('the indexes of a day are packed as soon as it is over, and hold its living tokens without room for others', async t => {
  const { store, clock, file, dispose } = await makeTestStore(null)
  t.after(dispose)
  const [agent, address] = [await createAgent(store), await addressOf(databaseOf(file))]
  const [token] = await issue(store, agent, { lifetimeSeconds: 86_400 })
  assert.ok(token)
  const keep = () => keepPartitions(() => connectPatiently({ address, timing: TIMING }), KEEP_LONG, clock.wall())
  const isPacked = () => countRows(file, `pg_description where objoid = 'token_20261121'::regclass`) > 0
  // A token with an id of the day could still come a moment after it.
  clock.advance(Date.UTC(2026, 10, 22) + 300_000 - 1 - START)
  await keep()
  assert.ok(!isPacked() && countRows(file, ROOMY) === INDEXES)
  clock.advance(1)
  await keep()
  assert.ok(isPacked() && countRows(file, ROOMY) === 0)
  assert.ok((await store.ledger.find([token]))[0]?.dead === false)
  assert.equal(await store.ledger.end(token, 'manual_revocation', act('token.revoke')), 'ended')
})

test('an index that a reindexing left in pieces is gone once the partition is packed', async t => {
  const { store, clock, file, dispose } = await makeTestStore(null)
  t.after(dispose)
  await issue(store, await createAgent(store), {})
  const address = await addressOf(databaseOf(file))
  await runStatement(file, 'create index left_in_pieces on token_20261121 (seq)')
  await runStatement(file, `update pg_index set indisvalid = false where indexrelid = 'left_in_pieces'::regclass`)
  clock.advance(2 * DAY_MS)
  await keepPartitions(() => connectPatiently({ address, timing: TIMING }), KEEP_LONG, clock.wall())
  assert.equal(countRows(file, `pg_index where indrelid = 'token_20261121'::regclass`), INDEXES)
})

const MANY = 70

test('while a partition is packed everything else is kept up, and a service can be stopped', {
  timeout: 60_000,
}, async t => {
  const first = await makeTestStore(null)
  t.after(first.dispose)
  const agent = await createAgent(first.store)
  await issue(first.store, agent, ...Array.from({ length: MANY }, () => ({ lifetimeSeconds: 86_400 })))
  first.clock.advance(DAY_MS - 3_600_000)
  await withConnection(await addressOf(databaseOf(first.file)), async writing => {
    // Somebody writes to the day, and packing waits for them.
    await writing.ask({ text: 'set idle_in_transaction_session_timeout = 0' })
    await writing.ask({ text: 'begin' })
    await writing.ask({ text: 'lock table token_20261121 in row exclusive mode' })
    const { store } = await first.reopen(KEEP_LONG)
    await store.agents.disable(agent.id, act('agent.disable'))
    await until('all have ended', async () => countRows(first.file, 'ended') >= MANY)
    await until('one waits', async () => countRows(first.file, WAITING) > 0)
    await store.close()
    assert.equal(countRows(first.file, WAITING), 1)
    await writing.ask({ text: 'rollback' })
  })
})
