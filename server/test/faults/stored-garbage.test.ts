// Rows that are not as the program wrote them, as a failing disk, a wrong restore or a careless hand leaves them: whatever
// one column holds, nothing that has ended is active, no thread ends, others are served, and all is right once it is mended.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { admin, call } from '../../../testkit/callers/administration.ts'
import { type Answer, askToken, get, introspect, issue, revoke } from '../../../testkit/callers/requests.ts'
import { type TestServer, startServer } from '../../../testkit/services/test-server.ts'
import { isPostgresTested } from '../../../testkit/stores/store.ts'
import { readRows, withFile } from '../../../testkit/stores/store-file.ts'

type Column = { readonly table: string; readonly name: string; readonly type: string; readonly key: readonly string[] }

// On PostgreSQL those that its own statements read: the others are read by the same programs as on SQLite.
const COLUMNS = isPostgresTested()
  ? `select c.table_name as "table", c.column_name as name, c.data_type as type,
      (select string_agg(k.column_name, ' ') from information_schema.table_constraints t
        join information_schema.key_column_usage k using (constraint_schema, constraint_name)
        where t.constraint_type = 'PRIMARY KEY' and t.table_schema = c.table_schema and t.table_name = c.table_name) as key
    from information_schema.columns c join information_schema.tables b using (table_schema, table_name)
    where c.table_schema = current_schema() and b.table_type = 'BASE TABLE'
      and (c.table_name in ('act', 'agent', 'credential', 'service', 'signing_key') or c.table_name ~ '^(token|ended)(_p|$)')
    order by 1, 2`
  : `select m.name as "table", c.name as name, c.type as type,
      (select group_concat(k.name, ' ') from pragma_table_info(m.name) k where k.pk > 0) as key
    from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite%' order by 1, 2`

const columnsIn = ({ storeFile }: TestServer): readonly Column[] =>
  readRows(storeFile, COLUMNS).map(({ table, name, type, key }) => ({
    table: String(table),
    name: String(name),
    type: String(type).toLowerCase(),
    key: typeof key === 'string' ? key.split(' ') : [],
  }))

const GARBAGE: Readonly<Record<string, string>> = isPostgresTested()
  ? { text: `'nonsense'`, integer: '-1', bigint: '-1', smallint: '-1', bytea: `'\\x00'` }
  : { text: `'nonsense'`, integer: '-1', blob: `x'00'` }

// A row that was written meanwhile may stand where one is put back.
const PUT = isPostgresTested() ? 'update' : 'update or replace'

/** Sets the column in every row; the function that it returns puts back what was there. Undefined where it cannot be set. */
const spoil = (file: string, { table, name, type, key }: Column): (() => void) | undefined => {
  const value = GARBAGE[type]
  if (value === undefined || key.length === 0 || key.includes(name)) return undefined
  const rows = readRows(file, `select ${[...key, name].join(', ')} from ${table}`)
  if (rows.length === 0) return undefined
  try {
    withFile(file, db => db.exec(`update ${table} set ${name} = ${value}`))
  } catch {
    // A constraint of the database refuses it.
    return undefined
  }
  const put = `${PUT} ${table} set ${name} = ? where ${key.map(column => `${column} = ?`).join(' and ')}`
  return () =>
    withFile(file, db => {
      for (const row of rows) db.prepare(put).run(row[name], ...key.map(column => row[column]))
    })
}

// What the store holds is shown as it is: an id that is nonsense is no UUID.
const isProblem = (problem: string): boolean =>
  !/_id must (?:match format "uuid"|be null|match a schema in anyOf)$/.test(problem)

const SPOILED_MIN = isPostgresTested() ? 40 : 80

const LISTS = ['agents', 'api-keys', 'audit', 'keys', 'tokens', 'tokens/history']

const makeWorld = async (t: TestContext) => {
  const service = await startServer({ isProblem })
  t.after(() => service.close())
  const client = await service.createAgent()
  const { key } = await service.createApiKey('tokens:introspect')
  const [live, ended] = [await issue(service, client), await issue(service, client)]
  assert.equal((await revoke(service, ended)).status, 200)
  const other = await service.createAgent()
  await issue(service, other)
  const revocation = { method: 'POST', path: '/api/v1/revocations', body: { agent_id: other.agentId } } as const
  assert.equal((await call(service, revocation, await admin(service))).status, 201)
  return { service, client, key, live, ended }
}

type World = Awaited<ReturnType<typeof makeWorld>>

/** What callers of every kind ask for while the column is spoiled. */
const askEach = async ({ service, client, key, live, ended }: World): Promise<readonly Answer[]> => {
  const headers = await admin(service)
  const answers = await Promise.all([
    introspect(service, key, ended),
    introspect(service, key, live),
    askToken(service, client),
    get(service, '/readyz'),
    get(service, '/.well-known/jwks.json'),
    ...LISTS.map(path => call(service, { method: 'GET', path: `/api/v1/${path}` }, headers)),
  ])
  return [...answers, await revoke(service, live)]
}

const assertServes = async ({ service, client, key, ended }: World, what: string): Promise<void> => {
  const { text } = await introspect(service, key, await issue(service, client))
  assert.match(text, /^\{"active":true,/, what)
  assert.equal((await introspect(service, key, ended)).text, '{"active":false}', what)
  assert.equal((await get(service, '/readyz')).status, 200, what)
}

test('whatever a column holds, what has ended is not active, a fault is a 500, and all is right once it is mended', async t => {
  const world = await makeWorld(t)
  let spoiled = 0
  for (const column of columnsIn(world.service)) {
    const mend = spoil(world.service.storeFile, column)
    if (mend === undefined) continue
    spoiled += 1
    const what = `${column.table}.${column.name}`
    const answers = await askEach(world)
    for (const { status, text } of answers) assert.ok([200, 500, 503].includes(status), `${what}: ${status} ${text}`)
    const [ended] = answers
    if (ended?.status === 200) assert.equal(ended.text, '{"active":false}', what)
    mend()
    await assertServes(world, what)
  }
  assert.ok(spoiled >= SPOILED_MIN, `Only ${spoiled} columns could be spoiled.`)
})

test('an act that cannot be read is no act that ends nothing: look-ups fail until it can', async t => {
  const world = await makeWorld(t)
  const { service, key, live } = world
  const [row] = readRows(service.storeFile, 'select seq, conditions from cutoff')
  assert.ok(row !== undefined)
  const set = (state: string, conditions: unknown): void =>
    withFile(service.storeFile, db => {
      db.prepare('update cutoff set state = ?, conditions = ?, anchored = 0 where seq = ?').run(
        state,
        conditions,
        row['seq'],
      )
    })
  set('open', 'nonsense')
  assert.equal((await introspect(service, key, live)).status, 500)
  // The backfill has read it too, and the writing thread goes on.
  assert.equal((await askToken(service, world.client)).status, 200)
  assert.equal((await get(service, '/livez')).status, 200)
  set('closed', row['conditions'])
  await assertServes(world, 'afterwards')
})
