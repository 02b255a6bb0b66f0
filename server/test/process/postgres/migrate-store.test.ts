// Moving up: a database becomes the store that a file held, tokens live on, and nobody serves the file any more.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { auditSealKey } from '../../../src/keys/at-rest/sealed-bytes.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { sealStep } from '../../../src/store/audit/seals.ts'
import { verifyTable } from '../../../src/store/offline/copy-tables.ts'
import { SERVICE, TABLES } from '../../../src/store/tables.ts'
import { copyBesideServing, finishMove } from '../../../src/compose/move.ts'
import type { OnMoved } from '../../../src/store/offline/move-tables.ts'
import { StartRefused } from '../../../src/config/start-refused.ts'
import { StoreProblem } from '../../../src/store/store-problem.ts'
import { verifyDatabaseAudit } from '../../../src/store/offline/postgres/act-alone.ts'
import { exportRows } from '../../../src/store/offline/postgres/export-rows.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { importStore } from '../../../src/store/offline/postgres/import-store.ts'
import { restoreStore } from '../../../src/store/offline/restore-store.ts'
import { backupRows } from '../../../src/store/offline/sqlite/backup.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { withBackup } from '../../../src/store/offline/sqlite/read-backup.ts'
import { restoreBackup } from '../../../src/store/offline/sqlite/restore.ts'
import { restorationAt } from '../../../../testkit/stores/backups.ts'
import { makeTestDatabase, runStatement } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf } from '../../../../testkit/databases/postgres-store.ts'
import { makePrincipals } from '../../../../testkit/stores/principals.ts'
import { act, createAgent, issue, makeTestStore, newTokens } from '../../../../testkit/stores/store.ts'
import {
  countRows,
  inTransaction,
  readNumber,
  readRows,
  withWritingConnection,
} from '../../../../testkit/stores/store-file.ts'

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
  await runStatement(database.url, `alter database ${database.name} set quote_all_identifiers = on`)
  return { file, agent, live, ended, keyHash, database, address: await addressOf(database.name) }
}

type World = Awaited<ReturnType<typeof makeWorld>>

const move = ({ file, address }: World, onMoved: OnMoved = () => undefined) => finishMove({ file, address, onMoved })

const problem = (pattern: RegExp) => (fault: unknown) =>
  (fault instanceof StoreProblem || fault instanceof StartRefused) && pattern.test(fault.message)

test('tokens live on, what ended stays ended, and agents go on with what they have', async t => {
  const world = await makeWorld(t)
  const { file, agent, live, ended, keyHash, address } = world
  const { tables: verified } = await move(world)
  assert.deepEqual(
    verified.map(({ table, rows }) => [table, rows]),
    TABLES.map(({ name }) => [name, countRows(file, name)]),
  )
  const store = await openPostgresStore({ address, timing: TIMING, retention: null })
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
  const store = await openPostgresStore({ address, timing: TIMING, retention: null })
  t.after(store.close)
  assert.equal((await store.agents.viewForIssue([], 'fresh')).seq, seq)
  await createAgent(store)
  const numbers = await runStatement(
    database.url,
    'select (select max(n) from agent)::int a, (select max(n) from audit)::int e',
  )
  assert.deepEqual(numbers, [{ a: (agents ?? 0) + 1, e: (entries ?? 0) + 1 }])
  const verdict = await verifyDatabaseAudit({ address, timing: TIMING }, { key: KEY, known: { number: 1, head: null } })
  assert.deepEqual(verdict.good ? [verdict.seals, verdict.unsealed] : verdict, [1, 1])
})

test('a backup of a database is restored into an empty one, or as an embedded store, and nothing of it goes on by itself', async t => {
  const world = await makeWorld(t)
  const { file, agent, live, keyHash, address } = world
  await move(world)
  const target = join(file, '..', 'backup.db')
  const made = await exportRows({ address, timing: TIMING }, async copied => {
    const backup = await backupRows({ timing: TIMING, target, force: false, copied, onRows: () => undefined })
    await withBackup(target, async ({ rows }) => {
      for (const table of [...TABLES, SERVICE]) await verifyTable(copied.rows, rows, table)
    })
    return backup
  })
  assert.deepEqual([made.tokens, made.ended, made.agents, made.credentials, made.apiKeys], [3, 1, 1, 2, 1])
  const restoration = restorationAt(Date.now())
  const empty = await makeTestDatabase()
  t.after(empty.drop)
  const other = await addressOf(empty.name)
  const { done } = await withBackup(target, ({ rows: source, mark, lastGiven }) =>
    importStore({
      address: other,
      timing: TIMING,
      source,
      mark,
      lastGiven,
      now: restoration.wall,
      onRows: () => undefined,
      finish: tx => restoreStore(tx, restoration),
    }),
  )
  const restored = join(file, '..', 'restored.db')
  const again = restoreBackup({ timing: TIMING, backup: target, file: restored, replace: false, restoration })
  assert.deepEqual(done, { seq: again.seq, suspended: again.suspended, kid: again.kid })
  assert.deepEqual(done.suspended, { agents: 1, credentials: 2, apiKeys: 1, issuers: 0 })
  const stores = [
    await openPostgresStore({ address: other, timing: TIMING, retention: null }),
    await openSqliteStore({ file: restored, timing: TIMING, retention: null }),
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

test('each copy of a store refuses the programs that do not know what its rows mean', async t => {
  const world = await makeWorld(t)
  const { file, agent, address, database } = world
  const before = await openSqliteStore({ file, timing: TIMING, retention: null })
  const [principal] = await makePrincipals(file)
  const [root, child] = await newTokens(before, agent, [{}, { lifetimeSeconds: 240 }])
  assert.ok(principal && root && child)
  assert.deepEqual(await before.ledger.insert([{ ...root, principal: principal.asked }]), ['inserted'])
  assert.deepEqual(await before.ledger.insert([{ ...child, parent: root }]), ['inserted'])
  await before.issuers.block({ ...principal.shown, sub: 'bob' }, act('subject.block'))
  await before.close()
  await move(world)
  const backup = join(file, '..', 'backup.db')
  await exportRows({ address, timing: TIMING }, copied =>
    backupRows({ timing: TIMING, target: backup, force: false, copied, onRows: () => undefined }),
  )
  const excluded = `select name from migration where name in ('lineage', 'exchange of JWTs', 'blocked subjects') and oldest_program = version`
  for (const copy of [database.url, backup]) assert.equal(readRows(copy, excluded).length, 3, copy)
})

test('more rows than are read at once are copied, each once', async t => {
  const world = await makeWorld(t)
  const store = await openSqliteStore({ file: world.file, timing: TIMING, retention: null })
  await issue(store, world.agent, ...Array.from({ length: 2100 }, (_, n) => ({ lifetimeSeconds: 300 + (n % 2) })))
  await store.close()
  const { tables } = await move(world)
  assert.equal(tables.find(({ table }) => table === 'token')?.rows, 2103)
  assert.deepEqual(await runStatement(world.database.url, 'select count(*)::int as n from token'), [{ n: 2103 }])
})

test('nobody serves the file afterwards, and finishing again says the same', async t => {
  const world = await makeWorld(t)
  const { tables } = await move(world)
  const refused = problem(/was copied into a database, where it goes on: set DATABASE_URL/)
  await assert.rejects(openSqliteStore({ file: world.file, timing: TIMING, retention: null }), refused)
  await assert.rejects(copyBesideServing({ ...world, onMoved: () => undefined }), refused)
  assert.deepEqual(await move(world), { tables, changed: 0 })
  const other = await makeTestDatabase()
  t.after(other.drop)
  const elsewhere = { ...world, address: await addressOf(other.name) }
  await assert.rejects(move(elsewhere), problem(/is not the one into which the store was copied/))
})

/** Breaks off when something of the table was done. */
const stopAt =
  (table: string): OnMoved =>
  (_, what) => {
    if (what === table) throw new Error('The network went.')
  }

const UNFINISHED = problem(
  /holds a part of a store that is being copied into it: run 'mintmark migrate-store --finish'/,
)

test('a copy that is broken off is no store, and goes on where it was', async t => {
  const world = await makeWorld(t)
  const { address } = world
  await assert.rejects(move(world, stopAt('ended')), /The network went/)
  await assert.rejects(openPostgresStore({ address, timing: TIMING, retention: null }), UNFINISHED)
  const copied: string[] = []
  await move(world, (step, what) => void (step === 'copied' && copied.push(what)))
  assert.deepEqual(copied, ['fact', 'audit', 'seal', 'idempotency'])
  const store = await openPostgresStore({ address, timing: TIMING, retention: null })
  t.after(store.close)
  assert.ok((await store.ledger.find(world.live)).every(token => token?.dead === false))
})

test('what ends after a copy was broken off does not live on', async t => {
  const world = await makeWorld(t)
  await assert.rejects(move(world, stopAt('ended')), /The network went/)
  const before = await openSqliteStore({ file: world.file, timing: TIMING, retention: null })
  const [token] = world.live
  assert.ok(token)
  await before.ledger.end(token, 'manual_revocation', act('token.revoke'))
  await before.close()
  await move(world)
  const store = await openPostgresStore({ address: world.address, timing: TIMING, retention: null })
  t.after(store.close)
  assert.equal((await store.ledger.find([token]))[0], undefined)
  assert.equal(await store.ledger.end(token, 'manual_revocation', act('token.revoke')), 'already_ended')
})

const TAMPER = `update agent set name = 'other' where n = 1`

test('a database that holds a store is refused, and a copy that is not the same is found', async t => {
  const world = await makeWorld(t)
  const { url } = world.database
  const tampered: Promise<unknown>[] = []
  await assert.rejects(
    // After the registers were copied.
    move(world, (_, what) => void (what === 'act' && tampered.push(runStatement(url, TAMPER)))),
    problem(/The copy of agent is not what was copied/),
  )
  await Promise.all(tampered)
  const other = await makeWorld(t)
  await move(other)
  await assert.rejects(move({ ...world, address: other.address }), problem(/holds a store already: name an empty one/))
})
