// The lists on PostgreSQL: which index each of their statements scans, under the plan that is made for any values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseOf } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, genericPlan, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import { CUT_OFF_SCANS, endedRanges, tokenRanges } from '../../../../testkit/stores/list-statements.ts'
import { act, createAgent, issue, makeTestStore, newTokens } from '../../../../testkit/stores/store.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const TODAY = 'token_20261121'
const WEEK = 'ended_20261119'
const TOKENS = 300
const ENDED = 30
// Rows are left out by it, and it decides about no index.
const COLUMNS = { sql: 'agent = ? and aud in (?, ?)', values: [] }
const STEP_INDEXES = [
  'pkey',
  'life_id_idx',
  'agent_life_id_idx',
  'scope_life_id_idx',
  'lineage_life_id_idx',
  'subject_life_id_idx',
  'principal_life_id_idx',
  'reason_at_id_idx',
  'agent_reason_at_id_idx',
  'scope_at_id_idx',
  'lineage_at_id_idx',
  'subject_at_id_idx',
  'principal_at_id_idx',
]

const indexesIn = (plan: readonly string[], partition: string): readonly string[] =>
  plan.flatMap(line => {
    const [, direction = '', index] = /^Index (?:Only )?Scan( Backward)? using (\S+) /.exec(line) ?? []
    return index?.startsWith(partition) === true ? [`${index.slice(partition.length + 1)}${direction}`] : []
  })

test('each range of the lists scans one index of each partition in its order, whatever its values are', async t => {
  const { store, file, dispose } = await makeTestStore(null)
  t.after(dispose)
  // All tokens of one agent, one scope and one reason: nothing that analysis finds speaks for the index of a filter.
  const agent = await createAgent(store)
  const tokens = await issue(store, agent, ...Array.from({ length: TOKENS }, () => ({})))
  const [parent] = tokens.slice(-1)
  assert.ok(parent)
  const children = await newTokens(
    store,
    agent,
    Array.from({ length: TOKENS }, () => ({ lifetimeSeconds: 240 })),
  )
  await store.ledger.insert(children.map(child => ({ ...child, parent })))
  for (const token of [...tokens.slice(0, ENDED), ...children.slice(0, ENDED)])
    await store.ledger.end(token, 'manual_revocation', act('token.revoke'))
  const lists = [...tokenRanges(), ...endedRanges(), ...tokenRanges(COLUMNS), ...endedRanges(COLUMNS)]
  const plans = await withConnection(await addressOf(databaseOf(file)), async connection => {
    await connection.ask({ text: `analyze ${TODAY}` })
    await connection.ask({ text: `analyze ${WEEK}` })
    const found: (readonly string[])[] = []
    for (const statement of [...lists, ...CUT_OFF_SCANS]) {
      const lines = await genericPlan(connection, statement)
      found.push(lines.map(line => line.replace(/^[ >-]*/, '')))
    }
    return found
  })
  assert.deepEqual(
    plans.filter(plan =>
      plan.some(line => /^(?:Seq Scan|Sort|Incremental Sort|Filter)\b(?! Key|: \(CASE )/.test(line)),
    ),
    [],
  )
  // The lists read one partition after another; a scan whose key begins with the agent reads all of them side by side.
  assert.deepEqual(
    plans.slice(0, lists.length).filter(plan => plan.includes('Merge Append')),
    [],
  )
  assert.deepEqual(
    plans.map(plan => [...indexesIn(plan, TODAY), ...indexesIn(plan, WEEK)]),
    [
      ['pkey Backward'],
      ['life_id_idx Backward'],
      ['agent_life_id_idx Backward'],
      ['scope_life_id_idx Backward'],
      ['lineage_life_id_idx Backward'],
      ['subject_life_id_idx Backward'],
      ['principal_life_id_idx Backward'],
      ['reason_at_id_idx Backward'],
      ['agent_reason_at_id_idx Backward'],
      ['scope_at_id_idx Backward'],
      ['lineage_at_id_idx Backward'],
      ['subject_at_id_idx Backward'],
      ['principal_at_id_idx Backward'],
      ...STEP_INDEXES.flatMap(index => [[`${index} Backward`], [`${index} Backward`]]),
      ['pkey'],
      ['pkey'],
      ['life_id_idx'],
      ['life_id_idx'],
      ['agent_life_id_idx'],
      ['agent_life_id_idx'],
    ],
  )
})
