// Moving up: a database becomes the store that a file held, tokens live on, and nobody serves the file any more.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { auditSealKey } from '../../src/keys/audit-key.ts'
import { sealStep } from '../../src/store/audit/seals.ts'
import { proveTable } from '../../src/store/copy/copy-tables.ts'
import { SERVICE, TABLES } from '../../src/store/copy/tables.ts'
import { given } from '../../src/store/script.ts'
import { StoreProblem } from '../../src/store/store-problem.ts'
import { verifyDatabaseAudit } from '../../src/store/postgres/act-alone.ts'
import { giveRows } from '../../src/store/postgres/give-rows.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { receiveStore } from '../../src/store/postgres/receive-store.ts'
import { restoreStore } from '../../src/store/restore/restore-store.ts'
import { backupRows } from '../../src/store/sqlite/backup.ts'
import { giveStore } from '../../src/store/sqlite/give-store.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { withBackup } from '../../src/store/sqlite/read-backup.ts'
import { restoreBackup } from '../../src/store/sqlite/restore.ts'
import { restorationAt } from '../support/backups.ts'
import { makeTestDatabase, runStatement } from '../support/postgres-cluster.ts'
import { addressOf } from '../support/postgres-store.ts'
import { act, createAgent, issue, makeTestStore } from '../support/store.ts'
import { countRows, inTransaction, readNumber, withWritingConnection } from '../support/store-file.ts'

const KEY = auditSealKey(new Uint8Array(32).fill(1))

/** A closed store with something in every part of it, and an empty database. */
const makeWorld = async (t: TestContext) => {
  const world = await makeTestStore(null, Date.now())
  t.after(world.dispose)
  const { store, file } = world
  const agent = await createAgent(store)
  const live = await issue(store, agent, {}, { scope: 'db:write', lifetimeSeconds: 3600 }, { audience: ['urn:a'] })
  const [ended] = await issue(store, agent, {})
  assert.ok(ended)
  await store.ledger.end(ended, 'manual_revocation', act('token.revoke'))
  const gone = await createAgent(store)
  await store.agents.delete(gone.id, act('agent.delete'))
  const trust = {
    kind: 'workload_identity',
    issuer: 'https://login.example',
    subject: 'system:agents:*',
    audience: 'urn:m',
    algorithms: ['RS256'],
    jwksUri: null,
  } as const
  await store.credentials.create(
    agent.id,
    { id: randomUUID(), name: 'w', secretHash: null, trust, expiry: null },
    act('credential.create'),
  )
  const keyHash = randomBytes(32).toString('hex')
  const apiKey = { id: randomUUID(), name: 'k', permissions: [], audiences: null, keyHash, expiry: null }
  const once = { ...act('api_key.create'), idempotencyKey: 'Zürich' }
  await store.apiKeys.create(apiKey, once)
  withWritingConnection(world, connection => inTransaction(connection, tx => sealStep(tx, KEY)))
  await store.close()
  const database = await makeTestDatabase()
  t.after(database.drop)
  return { file, agent, live, ended, keyHash, database, address: await addressOf(database.name) }
}

type World = Awaited<ReturnType<typeof makeWorld>>

const move = ({ file, address }: World, onRows: (table: string, rows: number) => void = () => undefined) =>
  giveStore(file, ({ rows: source, mark, lastGiven }) =>
    receiveStore({ address, source, mark, lastGiven, now: Date.now(), onRows, finish: () => given(null) }),
  )

const problem = (pattern: RegExp) => (fault: unknown) => fault instanceof StoreProblem && pattern.test(fault.message)

test('tokens live on, what ended stays ended, and agents go on with what they have', async t => {
  const world = await makeWorld(t)
  const { file, agent, live, ended, keyHash, address } = world
  const { tables: proven } = await move(world)
  assert.deepEqual(
    proven.map(({ table, rows }) => [table, rows]),
    TABLES.map(({ name }) => [name, countRows(file, name)]),
  )
  const store = await openPostgresStore({ address, retention: null })
  t.after(store.close)
  const found = await store.ledger.find([...live, ended])
  assert.deepEqual(
    found.map(token => token?.dead),
    [false, false, false, undefined],
  )
  assert.equal(await store.ledger.end(ended, 'manual_revocation', act('token.revoke')), 'already_ended')
  const [fresh] = await issue(store, agent, {})
  assert.ok(fresh)
  assert.equal((await store.ledger.find([fresh]))[0]?.dead, false)
  const { clients } = await store.agents.viewForIssue([agent.clientId], 'fresh')
  assert.equal(clients[0]?.credentials.length, 2)
  assert.equal((await store.apiKeys.find([keyHash])).length, 1)
  assert.equal(
    (await store.credentials.findWorkload('https://login.example', 'system:agents:one'))?.clientId,
    agent.clientId,
  )
  const [token] = live
  assert.ok(token)
  assert.equal(await store.ledger.end(token, 'manual_revocation', act('token.revoke')), 'ended')
})

test('no number is given twice, and the audit log is the one that it was, seals included', async t => {
  const world = await makeWorld(t)
  const { file, address, database } = world
  const [agents, entries] = ['agent', 'audit'].map(name =>
    readNumber(file, `select seq from sqlite_sequence where name = '${name}'`),
  )
  const seq = readNumber(file, 'select seq from service')
  await move(world)
  const store = await openPostgresStore({ address, retention: null })
  t.after(store.close)
  assert.equal((await store.agents.viewForIssue([], 'fresh')).seq, seq)
  await createAgent(store)
  const numbers = await runStatement(
    database.url,
    'select (select max(n) from agent)::int a, (select max(n) from audit)::int e',
  )
  assert.deepEqual(numbers, [{ a: (agents ?? 0) + 1, e: (entries ?? 0) + 1 }])
  const verdict = await verifyDatabaseAudit(address, { key: KEY, known: { number: 1, head: null } })
  assert.deepEqual(verdict.good ? [verdict.seals, verdict.unsealed] : verdict, [1, 1])
})

test('a backup of a database is restored into an empty one, or as an embedded store, and nothing of it goes on by itself', async t => {
  const world = await makeWorld(t)
  const { file, agent, live, keyHash, address } = world
  await move(world)
  const target = join(file, '..', 'backup.db')
  const made = await giveRows(address, async copied => {
    const backup = await backupRows({ target, force: false, copied, onRows: () => undefined })
    await withBackup(target, async ({ rows }) => {
      for (const table of [...TABLES, SERVICE]) await proveTable(copied.rows, rows, table)
    })
    return backup
  })
  assert.deepEqual([made.tokens, made.ended, made.agents, made.credentials, made.apiKeys], [3, 1, 1, 2, 1])
  const restoration = restorationAt(Date.now())
  const empty = await makeTestDatabase()
  t.after(empty.drop)
  const other = await addressOf(empty.name)
  const { done } = await withBackup(target, ({ rows: source, mark, lastGiven }) =>
    receiveStore({
      address: other,
      source,
      mark,
      lastGiven,
      now: restoration.wall,
      onRows: () => undefined,
      finish: tx => restoreStore(tx, restoration),
    }),
  )
  const restored = join(file, '..', 'restored.db')
  const again = restoreBackup({ backup: target, file: restored, replace: false, restoration })
  assert.deepEqual(done, { seq: again.seq, suspended: again.suspended, kid: again.kid })
  assert.deepEqual(done.suspended, { agents: 1, credentials: 2, apiKeys: 1 })
  const stores = [
    await openPostgresStore({ address: other, retention: null }),
    await openSqliteStore({ file: restored, retention: null }),
  ]
  for (const store of stores) {
    t.after(store.close)
    assert.ok((await store.ledger.find(live)).every(token => token === undefined || token.dead))
    const { clients, signingKey } = await store.agents.viewForIssue([agent.clientId], 'fresh')
    assert.deepEqual([clients[0]?.credentials.length, signingKey.publicJwk.kid], [0, done.kid])
    assert.deepEqual(await store.apiKeys.find([keyHash]), [undefined])
    await store.restores.accept({ kind: 'all' }, act('store.accept'))
    assert.equal((await store.apiKeys.find([keyHash]))[0]?.name, 'k')
    await createAgent(store)
  }
})

test('more rows than are read at once are copied, each once', async t => {
  const world = await makeWorld(t)
  const store = await openSqliteStore({ file: world.file, retention: null })
  await issue(store, world.agent, ...Array.from({ length: 2100 }, (_, n) => ({ lifetimeSeconds: 300 + (n % 2) })))
  await store.close()
  const { tables } = await move(world)
  assert.equal(tables.find(({ table }) => table === 'token')?.rows, 2103)
  assert.deepEqual(await runStatement(world.database.url, 'select count(*)::int as n from token'), [{ n: 2103 }])
})

test('nobody serves the file afterwards, and it is not moved twice', async t => {
  const world = await makeWorld(t)
  await move(world)
  const refused = problem(/was copied into a database, where it goes on: set DATABASE_URL/)
  await assert.rejects(openSqliteStore({ file: world.file, retention: null }), refused)
  await assert.rejects(move(world), refused)
})

test('a copy that is broken off is no store, and goes on where it was', async t => {
  const world = await makeWorld(t)
  const { address } = world
  const stop = (table: string): void => {
    if (table === 'token') throw new Error('The network went.')
  }
  await assert.rejects(move(world, stop), /The network went/)
  await assert.rejects(openPostgresStore({ address, retention: null }), problem(/has lost its service row/))
  const copied: string[] = []
  await move(world, table => void copied.push(table))
  assert.ok(!copied.includes('agent') && !copied.includes('token') && copied.includes('audit'), copied.join())
  const store = await openPostgresStore({ address, retention: null })
  t.after(store.close)
  assert.ok((await store.ledger.find(world.live)).every(token => token?.dead === false))
})

test('a copy that is broken off does not go on once the store went on: what ended meanwhile would live', async t => {
  const world = await makeWorld(t)
  const stop = (table: string): void => {
    if (table === 'token') throw new Error('The network went.')
  }
  await assert.rejects(move(world, stop), /The network went/)
  const store = await openSqliteStore({ file: world.file, retention: null })
  const [token] = world.live
  assert.ok(token)
  await store.ledger.end(token, 'manual_revocation', act('token.revoke'))
  await store.close()
  await assert.rejects(move(world), problem(/holds a part of another store, or of this one before it went on/))
})

const TAMPER = `update agent set name = 'other' where n = 1`

test('a database that holds a store is refused, and a copy that is not the same is found', async t => {
  const world = await makeWorld(t)
  await assert.rejects(
    giveStore(world.file, ({ rows, mark, lastGiven }) =>
      receiveStore({
        address: world.address,
        // When the last table is copied.
        source: {
          ...rows,
          page: async page => {
            if (page.table.name === 'workload') await runStatement(world.database.url, TAMPER)
            return rows.page(page)
          },
        },
        mark,
        lastGiven,
        now: Date.now(),
        onRows: () => undefined,
        finish: () => given(null),
      }),
    ),
    problem(/The copy of agent is not what was copied/),
  )
  const other = await makeWorld(t)
  await move(other)
  await assert.rejects(move({ ...world, address: other.address }), problem(/holds a store already: name an empty one/))
})
