// How many live tokens a credential got: exact to a bound, then at least so many; what is dead is not counted.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { COUNT_EXACT_MAX } from '../../../../api/values/lists.ts'
import type { Count } from '../../../src/domain/clients/credential.ts'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { COUNT_JUDGED_MAX } from '../../../src/store/ledger/count-tokens.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  newTokens,
  NO_NAME_FILTERS,
  type TestAgent,
  testEmbedded,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { statementsDuring } from '../../../../testkit/stores/asked-statements.ts'
import { readNumber, withFile } from '../../../../testkit/stores/store-file.ts'
import { planOf } from './list-plans.ts'

const COUNT_EXAMINED_MAX = 20_000

type World = TestStore & { readonly agent: TestAgent }

const makeWorld = async (t: TestContext): Promise<World> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return { ...world, agent: await createAgent(world.store) }
}

const count = async ({ store, agent }: World, audiences: readonly string[] | null = null): Promise<Count | undefined> =>
  (await store.credentials.show(agent.id, agent.credentialId, audiences))?.liveTokens

/** Gives the agent so many tokens more. */
const issueMany = async ({ store, agent }: World, many: number): Promise<void> => {
  for (let left = many; left > 0; left -= 5000) {
    const tokens = await newTokens(
      store,
      agent,
      Array.from({ length: Math.min(left, 5000) }, () => ({})),
    )
    await store.ledger.insert(tokens)
  }
}

test('live tokens of the credential are counted, over all lifetimes; what expired or was revoked is not', async t => {
  const world = await makeWorld(t)
  const { store, agent, clock } = world
  const [short] = await issue(store, agent, { lifetimeSeconds: 1 }, {}, { lifetimeSeconds: 600 }, {})
  await issue(store, await createAgent(store), {})
  assert.ok(short)
  assert.deepEqual(await count(world), { count: 4, isExact: true })
  clock.advance(1000)
  assert.deepEqual(await count(world), { count: 3, isExact: true })
  const [revoked] = await issue(store, agent, {})
  assert.ok(revoked)
  await store.ledger.end(revoked, 'manual_revocation', act('token.revoke'))
  assert.deepEqual(await count(world), { count: 3, isExact: true })
})

test('tokens that an open cut-off covers are not counted before their rows have followed', async t => {
  const world = await makeWorld(t)
  await issueMany(world, 100)
  await issue(world.store, world.agent, { scope: 'db:write' })
  await world.store.ledger.endAll({ ...NO_CONDITION, scope: 'db:read' }, 'bulk_revocation', act('token.revoke'))
  assert.equal(readNumber(world.file, 'select count(*) from token'), 101)
  assert.deepEqual(await count(world), { count: 1, isExact: true })
})

test('each credential has its own count', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  const second = { id: randomUUID(), name: 'second', secretHash: randomBytes(32).toString('hex'), expiry: null }
  await store.credentials.create(agent.id, second, act('credential.create'))
  await issueMany(world, 3)
  withFile(file, db => {
    const move =
      'update token set cred = (select max(n) from credential) where id = (select id from token order by id limit 1)'
    db.prepare(move).run()
  })
  const page = await store.credentials.list(agent.id, {
    names: NO_NAME_FILTERS,
    after: null,
    limit: 10,
    audiences: null,
  })
  assert.deepEqual(
    page?.map(({ liveTokens }) => liveTokens),
    [
      { count: 2, isExact: true },
      { count: 1, isExact: true },
    ],
  )
})

test('a caller who is limited to audiences hears of their tokens alone', async t => {
  const world = await makeWorld(t)
  const one = { audience: ['https://one.example'] }
  await issue(world.store, world.agent, one, {}, { audience: ['https://one.example', 'https://two.example'] })
  assert.deepEqual(await count(world, ['https://one.example']), { count: 2, isExact: true })
})

test(`a count is exact to ${COUNT_EXACT_MAX}; beyond, and beyond the rows that are looked at, it is a least`, async t => {
  const world = await makeWorld(t)
  await issueMany(world, COUNT_EXACT_MAX)
  assert.deepEqual(await count(world), { count: COUNT_EXACT_MAX, isExact: true })
  await issueMany(world, 1)
  assert.deepEqual(await count(world), { count: COUNT_EXACT_MAX, isExact: false })
  const other = { ...world.agent, credentialId: randomUUID() }
  const credential = { id: other.credentialId, name: 'idle', secretHash: randomBytes(32).toString('hex'), expiry: null }
  await world.store.credentials.create(other.id, credential, act('credential.create'))
  await issueMany(world, COUNT_EXAMINED_MAX - COUNT_EXACT_MAX - 1)
  assert.deepEqual(await count({ ...world, agent: other }), { count: 0, isExact: true })
  await issueMany(world, 1)
  assert.deepEqual(await count({ ...world, agent: other }), { count: 0, isExact: false })
})

testEmbedded('tokens are counted by the index of their agent', async t => {
  const world = await makeWorld(t)
  await issueMany(world, 1)
  const asked = await statementsDuring(async () => {
    await count(world)
    await count(world, [])
  }, /from token/)
  assert.equal(asked.length, 2)
  for (const statement of asked) {
    assert.match(planOf(world.file, statement).join(), /USING INDEX token_agent \(agent=\? AND life=\? AND id>\?\)/)
  }
})

test(`where each row must be judged, ${COUNT_JUDGED_MAX} are looked at`, async t => {
  const world = await makeWorld(t)
  const seen = ['https://api.example']
  await issueMany(world, COUNT_JUDGED_MAX)
  assert.deepEqual(await count(world, seen), { count: COUNT_JUDGED_MAX, isExact: true })
  await issueMany(world, 1)
  const least = await count(world, seen)
  assert.equal(least?.isExact, false)
  assert.ok(least.count >= COUNT_JUDGED_MAX)
})
