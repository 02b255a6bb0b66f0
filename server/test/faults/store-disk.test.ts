// A disk that is full or that takes no writes, and a store that is not as it must be: closed, whole, and well afterwards.
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { SQLITE_RESULTS } from '../../src/store/sqlite/connection/database.ts'
import { monotonicMs } from '../../src/store/clocks.ts'
import { groupCommit } from '../../src/store/sqlite/writer/writer-queue.ts'
import { type JobInput, type JobName, packTokens } from '../../src/store/sqlite/writer/jobs.ts'
import type { WritingConnection } from '../../src/store/sqlite/connection/transaction.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  newTokens,
  type TestAgent,
  type TestStore,
} from '../../../testkit/stores/store.ts'
import {
  countRows,
  readRows,
  sqliteFault,
  withFile,
  withWritingConnection,
} from '../../../testkit/stores/store-file.ts'
import assert from 'node:assert/strict'

const REVOKE = act('token.revoke')

const makeWorld = async (t: TestContext): Promise<TestStore & { readonly agent: TestAgent }> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return { ...world, agent: await createAgent(world.store) }
}

const commit = (connection: WritingConnection, ...jobs: readonly { job: JobName; input: JobInput<JobName> }[]) =>
  groupCommit(
    connection,
    jobs.map((one, n) => ({ ...one, n, sentAt: 0, deadline: monotonicMs() + 60_000 })),
  ).map(reply => ('failure' in reply ? reply.failure.kind : reply.value))

const newApiKey = () => ({
  apiKey: {
    id: randomUUID(),
    name: 'key',
    permissions: [],
    audiences: null,
    keyHash: randomBytes(32).toString('hex'),
    expiry: null,
  },
  act: act('api_key.create'),
})

/** What makes a connection's writes fail as a disk would, and what ends it. */
const FAULTS = {
  'a full disk': (connection: WritingConnection) => {
    const pages = connection.db.pragma('page_count')
    connection.db.pragma(`max_page_count = ${Number(pages)}`)
    return () => void connection.db.pragma('max_page_count = 1000000')
  },
  'a disk that takes no writes': (connection: WritingConnection) => {
    connection.db.pragma('query_only = on')
    return () => void connection.db.pragma('query_only = off')
  },
} as const

for (const [name, strike] of Object.entries(FAULTS)) {
  test(`on ${name} a whole group is unavailable and leaves no row; afterwards the same group succeeds`, async t => {
    const world = await makeWorld(t)
    const { store, agent, file } = world
    const wishes = Array.from({ length: 500 }, (_, n) => ({ scope: `db:new${n % 3}` }))
    const tokens = await newTokens(store, agent, wishes)
    const tables = ['token', 'api_key', 'lifetime', 'scope_set', 'audience_set', 'audit', 'act']
    const content = () => tables.map(table => readRows(file, `select * from ${table}`))
    const before = content()
    withWritingConnection(world, connection => {
      const group = () => [
        { job: 'createApiKey', input: newApiKey() } as const,
        { job: 'insertTokens', input: packTokens(tokens) } as const,
      ]
      const heal = strike(connection)
      assert.deepEqual(commit(connection, ...group()), ['unavailable', 'unavailable'])
      assert.deepEqual(content(), before)
      heal()
      const [, outcomes] = commit(connection, ...group())
      assert.deepEqual(
        outcomes,
        Array.from({ length: 500 }, () => 'inserted'),
      )
    })
    const found = await store.ledger.find(tokens)
    assert.deepEqual(
      found.map(token => token?.scope),
      wishes.map(({ scope }) => scope),
      'what the failed group had remembered is forgotten',
    )
  })
}

/** The connection with a disk that fails at the moment of the commit, and at no other. */
const failingAtCommit = (connection: WritingConnection): WritingConnection => ({
  ...connection,
  sql: <Row>(text: string) => {
    if (text === 'commit') throw sqliteFault('disk I/O error', SQLITE_RESULTS.ioerr)
    return connection.sql<Row>(text)
  },
})

test('a group whose commit fails is unavailable as a whole, leaves no row and nothing remembered', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  const tokens = await newTokens(store, agent, [{ scope: 'db:new', lifetimeSeconds: 77 }])
  withWritingConnection(world, connection => {
    const insert = () => ({ job: 'insertTokens', input: packTokens(tokens) }) as const
    const failed = commit(failingAtCommit(connection), { job: 'createApiKey', input: newApiKey() }, insert())
    assert.deepEqual(failed, ['unavailable', 'unavailable'])
    const left = ['token', 'api_key', 'lifetime', 'scope_set', 'audience_set'].map(table => countRows(file, table))
    assert.deepEqual(left, [0, 0, 0, 0, 0])
    assert.deepEqual(commit(connection, insert()), [['inserted']])
  })
  assert.deepEqual(
    (await store.ledger.find(tokens)).map(token => token?.scope),
    ['db:new'],
  )
})

test('a move that fails half way ends nothing: the token stays alive, in no history, and can be ended later', async t => {
  const { store, agent, file } = await makeWorld(t)
  const [token] = await issue(store, agent, {})
  assert.ok(token)
  withFile(file, db => db.exec(`create trigger broken before insert on ended begin select raise(abort, 'broken'); end`))
  await assert.rejects(store.ledger.end(token, 'manual_revocation', REVOKE), /broken/)
  await assert.rejects(store.agents.disable(agent.id, act('agent.disable')), /broken/)
  assert.deepEqual(
    (await store.ledger.find([token])).map(found => found?.dead),
    [false],
  )
  assert.equal((await store.agents.show(agent.id))?.disabledAt, null)
  assert.deepEqual([countRows(file, 'token'), countRows(file, 'ended'), countRows(file, 'act')], [1, 0, 0])
  withFile(file, db => db.exec('drop trigger broken'))
  assert.equal(await store.ledger.end(token, 'manual_revocation', REVOKE), 'ended')
})

test('a look-up that cannot be read is a fault, never the answer that there is no such token', async t => {
  const { store, agent, file } = await makeWorld(t)
  const tokens = await issue(store, agent, {})
  withFile(file, db => db.exec('alter table token rename to elsewhere'))
  await assert.rejects(store.ledger.find(tokens), /no such table/)
  withFile(file, db => db.exec('alter table elsewhere rename to token'))
  assert.deepEqual(
    (await store.ledger.find(tokens)).map(found => found?.dead),
    [false],
  )
})
