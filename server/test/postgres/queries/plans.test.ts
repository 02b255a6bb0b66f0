// The plans that PostgreSQL makes for any values: whatever the tables hold, a page seeks its place in the index made for it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseOf } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, genericPlan, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import { AUDIT_READS, statementsOfRead } from '../../store/lists/audit-statements.ts'
import { NAME_STATEMENTS } from '../../store/lists/name-statements.ts'
import { explainStatements } from '../../store/ledger/explain-statements.ts'
import { CUT_OFF_SCANS, endedRanges, OPEN_MINUTES, tokenRanges } from '../../../../testkit/stores/list-statements.ts'
import { makeTestStore, START, type TestStore } from '../../../../testkit/stores/store.ts'
import { withFile } from '../../../../testkit/stores/store-file.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

let world: TestStore

before(async () => {
  world = await makeTestStore(null)
})

after(() => world.dispose())

// The names of partitions carry their dates.
const withoutDate = (line: string): string => line.trim().replaceAll(/_\d{8}/g, '')

/** What the plan reads and by what, each once, and how it sorts; of a statement whose values are not known. */
const planOf = async (statement: string): Promise<readonly string[]> => {
  const address = await addressOf(databaseOf(world.file))
  const lines = await withConnection(address, connection => genericPlan(connection, statement))
  return [
    ...new Set(
      lines
        .flatMap(line => /(\w+ Scan.* using \w+|\w+ Scan on \w+|\w+ Cond: .*|\w+ Sort|Sort$)/.exec(line)?.[1] ?? [])
        .map(withoutDate),
    ),
  ]
}

const plansOf = async (statements: readonly string[]): Promise<readonly (readonly string[])[]> => {
  const plans: (readonly string[])[] = []
  for (const statement of statements) plans.push(await planOf(statement))
  return plans
}

const BACKWARD = 'Index Scan Backward using'
const ENDED_FROM = (n: number): string => `(ROW(at, id) < ROW($${n}, $${n + 1})) AND (at >= $${n + 2})`

const ENDED_PLANS = [
  [`${BACKWARD} ended_reason_at_id_idx`, `Index Cond: ((reason = $1) AND ${ENDED_FROM(2)})`],
  [`${BACKWARD} ended_agent_reason_at_id_idx`, `Index Cond: ((agent = $1) AND (reason = $2) AND ${ENDED_FROM(3)})`],
  [`${BACKWARD} ended_scope_at_id_idx`, `Index Cond: ((scope = $1) AND ${ENDED_FROM(2)})`],
  [`${BACKWARD} ended_lineage_at_id_idx`, `Index Cond: ((lineage = $1) AND ${ENDED_FROM(2)})`],
  [`${BACKWARD} ended_subject_at_id_idx`, `Index Cond: ((subject = $1) AND ${ENDED_FROM(2)})`],
  [`${BACKWARD} ended_principal_at_id_idx`, `Index Cond: ((principal = $1) AND ${ENDED_FROM(2)})`],
]

const PLANS: Readonly<Record<string, { statements: readonly string[]; plans: readonly (readonly string[])[] }>> = {
  'a range of live tokens': {
    statements: tokenRanges(),
    plans: [
      [`${BACKWARD} token_pkey`, 'Index Cond: ((life = $1) AND (id >= $2) AND (id < $3))'],
      [`${BACKWARD} token_life_id_idx`, 'Index Cond: ((life = $1) AND (id >= $2) AND (id < $3))'],
      [
        `${BACKWARD} token_agent_life_id_idx`,
        'Index Cond: ((agent = $1) AND (life = $2) AND (id >= $3) AND (id < $4))',
      ],
      [
        `${BACKWARD} token_scope_life_id_idx`,
        'Index Cond: ((scope = $1) AND (life = $2) AND (id >= $3) AND (id < $4))',
      ],
      ...['lineage', 'subject', 'principal'].map(column => [
        `${BACKWARD} token_${column}_life_id_idx`,
        `Index Cond: ((${column} = $1) AND (life = $2) AND (id >= $3) AND (id < $4))`,
      ]),
    ],
  },
  'a range of ended tokens': { statements: endedRanges(), plans: ENDED_PLANS },
  'the tokens that a cut-off may reach': {
    statements: CUT_OFF_SCANS,
    plans: [
      ...['token_pkey', 'token_life_id_idx'].flatMap(index =>
        ['>=', '>'].map(than => [`Index Scan using ${index}`, `Index Cond: ((life = $1) AND (id ${than} $2))`]),
      ),
      ...['>=', '>'].map(than => [
        'Index Scan using token_agent_life_id_idx',
        `Index Cond: ((ROW(agent, life, id) ${than} ROW($1, $2, $3)) AND (ROW(agent, life) <= ROW($4, $5)) AND (id ${than} $6))`,
      ]),
    ],
  },
  'the minutes of history to scan': {
    statements: OPEN_MINUTES,
    plans: [1, 2].map(() => [`${BACKWARD} ended_minute_pkey`, 'Index Cond: ((minute >= $1) AND (minute <= $2))']),
  },
}

// What a value does not narrow much, in rows that stand in the order of time: where a planner likes another index.
const MANY = `
  alter table audit disable trigger audit_numbered;
  insert into audit (n, at, kind, actor, subject, request_id, detail)
    select n + 10, n, 'agent.create', '{}', 's' || n % 3, 'r' || n % 3, '{}' from generate_series(1, 20000) n;
  insert into token
    select (lpad(to_hex(${START} + n), 12, '0') || '70008000000000000000')::uuid, md5(n::text)::uuid, 1, 300,
      n % 3, 1, 1, n % 3, 1, case when n % 2 = 0 then n % 3 end, case when n % 2 = 0 then n % 5 end
    from generate_series(1, 20000) n;
  alter table ended disable trigger all;
  insert into ended
    select md5(n::text)::uuid, ${START} + n, 300, n % 3, 1, 1, n % 3, 1, 1, n % 3,
      case when n % 2 = 0 then n % 3 end, case when n % 2 = 0 then n % 5 end from generate_series(1, 20000) n;
  analyze`

/** Of which an index holds the rows that have none too. */
const NULLABLE = ['subject', 'request_id']

// Sorted are only those of one millisecond, among themselves.
const AUDIT_PLANS = AUDIT_READS.map(([index, column]) => [
  'Incremental Sort',
  `${BACKWARD} ${index}`,
  column === null
    ? 'Index Cond: ((at >= $1) AND (at <= $2))'
    : `Index Cond: (${NULLABLE.includes(column) ? `(${column} IS NOT NULL) AND ` : ''}(ROW(${column}, at) >= ROW($1, $2)) AND (ROW(${column}, at) <= ROW($3, $4)))`,
])

const assertAuditPlans = async (): Promise<void> => {
  const statements: string[] = []
  for (const [, , read] of AUDIT_READS) statements.push(...(await statementsOfRead(world.store, read)))
  assert.deepEqual(await plansOf(statements), AUDIT_PLANS)
}

const EXPLAIN_PLANS = [
  ['Index Scan using cutoff_pkey', 'Index Cond: (seq = $1)'],
  ...['agent', 'credential', 'signing_key'].map(table => [`Index Scan using ${table}_pkey`, 'Index Cond: (n = $1)']),
  ['Index Scan using ended_pkey', 'Index Cond: ((id = $1) AND (at >= $2) AND (at <= $3))'],
  ['Index Scan using token_pkey', 'Index Cond: ((life = $1) AND (id = $2))'],
]

test('an explanation only looks up keys: nothing grows with the number of tokens', async t => {
  // The tables stay empty: of an empty partition beside a full one the planner takes any index, and no statement opens that one.
  const { store, dispose } = await makeTestStore(null)
  t.after(dispose)
  assert.deepEqual(await plansOf(await explainStatements(store)), EXPLAIN_PLANS)
})

test('a page of the audit log is sought in the index made for it', assertAuditPlans)

for (const [name, { statements, plans }] of Object.entries(PLANS)) {
  test(`${name} is sought in the index made for it`, async () => assert.deepEqual(await plansOf(statements), plans))
}

test('it is so whatever the tables hold, and whatever the database has counted in them', async () => {
  withFile(world.file, db => db.exec(MANY))
  for (const { statements, plans } of Object.values(PLANS)) assert.deepEqual(await plansOf(statements), plans)
  await assertAuditPlans()
})

const NAMED = `
  insert into agent (id, client_id, name, created_at, scopes, resources)
    select md5(n::text), md5('c' || n), 'a' || n, 0, '[]', '[]' from generate_series(1, 20000) n;
  insert into api_key (id, name, key_hash, permissions, created_at)
    select md5(n::text), 'a' || n % 5000, decode(md5(n::text), 'hex'), '[]', 0 from generate_series(1, 20000) n;
  analyze`

test('agents and API keys of a name or of some ids are sought in an index, however many there are', async () => {
  withFile(world.file, db => db.exec(NAMED))
  for (const [index, statements] of NAME_STATEMENTS) {
    for (const statement of statements) {
      const plan = (await planOf(statement)).join('; ')
      assert.match(plan, index, statement)
      assert.doesNotMatch(plan, /Seq Scan/, statement)
    }
  }
})
