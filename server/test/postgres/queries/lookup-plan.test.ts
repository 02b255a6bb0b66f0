// How PostgreSQL looks a token up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseOf } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, preparedText, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import { readRows } from '../../../../testkit/stores/store-file.ts'
import { createAgent, issue, makeTestStore } from '../../../../testkit/stores/store.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const PARTITIONS = 'select inhrelid::regclass::text as name from pg_inherits order by 1'
const DAY_MS = 86_400_000

test('a look-up by address touches one partition of tokens, by its key', async t => {
  const { store, clock, file, dispose } = await makeTestStore(null)
  t.after(dispose)
  const [agent, address] = [await createAgent(store), await addressOf(databaseOf(file))]
  const [today] = await issue(store, agent, {})
  clock.advance(DAY_MS)
  const [tomorrow] = await issue(store, agent, {})
  assert.ok(today && tomorrow)
  const lookup = await preparedText(t, 'lookup', () => store.ledger.find([tomorrow]))
  const plan = await withConnection(address, async connection => {
    // So small a table would be read whole, and the plan kept when it is large.
    await connection.ask({ text: 'analyze token' })
    const explain = { text: `explain (analyze, costs off, timing off) ${lookup}`, name: 'explained' }
    for (const one of [today, tomorrow]) await connection.ask({ ...explain, values: [[300], [one.id], one.id, one.id] })
    const { rows } = await connection.ask({ ...explain, values: [[300], [tomorrow.id], tomorrow.id, tomorrow.id] })
    return rows.map(row => String((row as Record<string, unknown>)['QUERY PLAN']))
  })
  const scans = plan.filter(line => / on token_\d+/.test(line))
  assert.ok(
    readRows(file, PARTITIONS)
      .map(row => row['name'])
      .filter(name => String(name).startsWith('token_2')).length >= 3,
  )
  // The others are not even opened: opening them would cost more than to look one token up.
  assert.deepEqual(
    scans.map(line => /(Index \w+|Seq Scan).* on (\w+)/.exec(line)?.slice(1)),
    [['Index Scan', 'token_20261122']],
    plan.join('\n'),
  )
})
