// The facts of the revocation feed in the store: what each end adds, in which order it is read, and what outlives it.
import { createHash, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { type TokenAddress, expiresSecondOf } from '../../../src/domain/ledger/claims.ts'
import type { CutOffFact } from '../../../src/domain/ledger/cut-off-fact.ts'
import { type CutOffConditions, NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { type FeedPage, PAGE_FACTS_MAX } from '../../../src/ports/revocation-feed.ts'
import {
  act,
  createAgent,
  isPostgresTested,
  issue,
  KEEP_LONG,
  makeTestStore,
  START,
  type TestAgent,
  type TestedStore,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { withFile } from '../../../../testkit/stores/store-file.ts'
import assert from 'node:assert/strict'

const REVOKE = act('token.revoke')
const LIFE = 300
const HERE = 'https://api.example'

const makeWorld = async (t: TestContext): Promise<TestStore & { readonly agent: TestAgent }> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return { ...world, agent: await createAgent(world.store) }
}

const read = async (store: TestedStore, from = 0, to: number | null = null): Promise<FeedPage> => {
  const page = await store.feed.read({ epoch: null, from, to })
  assert.notEqual(page, 'epoch_changed')
  return page as FeedPage
}

const digest = (id: string): string => createHash('sha256').update(id).digest().subarray(0, 8).toString('base64url')

const tail = (id: string): string => Buffer.from(id.replaceAll('-', '').slice(16), 'hex').toString('base64url')

/** The tails under each second, in order. */
const tailsOf = ({ ended }: FeedPage): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    [...ended].map(([second, bytes]) => [
      second,
      Array.from({ length: bytes.length / 8 }, (_, n) =>
        Buffer.from(bytes.subarray(8 * n, 8 * n + 8)).toString('base64url'),
      ).toSorted(),
    ]),
  )

const tailsOfTokens = (...tokens: readonly TokenAddress[]): Readonly<Record<string, readonly string[]>> => {
  const bySecond = Map.groupBy(tokens, ({ id, lifetimeSeconds }) => expiresSecondOf(id, lifetimeSeconds))
  return Object.fromEntries([...bySecond].map(([second, some]) => [second, some.map(({ id }) => tail(id)).toSorted()]))
}

const end = (store: TestedStore, token: TokenAddress) => store.ledger.end(token, 'manual_revocation', REVOKE)

const endAll = (store: TestedStore, conditions: Partial<CutOffConditions>) =>
  store.ledger.endAll({ ...NO_CONDITION, ...conditions }, 'bulk_revocation', REVOKE)

test('a new store has an open feed at position 0, without a fact', async t => {
  const { store, clock } = await makeWorld(t)
  const { epoch, ...head } = await store.feed.head()
  assert.match(epoch, /^[\w.-]{36,128}$/)
  assert.deepEqual(head, { position: 0, now: clock.wall() })
  const page = await read(store)
  assert.deepEqual([page.to, page.ended.size, page.cutOffs, page.until], [0, 0, [], 0])
  assert.equal(page.epoch, epoch)
})

test('a token that ends is a fact once: the tail of its id under its expiry', async t => {
  const { store, agent } = await makeWorld(t)
  const [a, b] = await issue(store, agent, {}, { lifetimeSeconds: 60 })
  assert.ok(a && b)
  assert.equal(await end(store, a), 'ended')
  assert.equal(await end(store, a), 'already_ended')
  assert.deepEqual(tailsOf(await read(store)), tailsOfTokens(a))
  const { position } = await store.feed.head()
  assert.equal(position, 1)
  await end(store, b)
  const page = await read(store, position)
  assert.deepEqual([page.from, page.to], [1, 2])
  assert.deepEqual(tailsOf(page), tailsOfTokens(b))
  assert.deepEqual(tailsOf(await read(store)), tailsOfTokens(a, b))
})

test('tokens that end together are one fact each, however they end', async t => {
  const { store, agent } = await makeWorld(t)
  const tokens = await issue(store, agent, ...Array.from({ length: 20 }, (_, n) => ({ lifetimeSeconds: 60 + (n % 3) })))
  await Promise.all(tokens.map(token => end(store, token)))
  assert.deepEqual(tailsOf(await read(store)), tailsOfTokens(...tokens))
})

test('a token that makes room for another at the limit of its agent is a fact', async t => {
  const { store, clock } = await makeWorld(t)
  const settings = { liveTokensMax: 2, atLiveTokensMax: 'supersede' } as const
  const agent = await createAgent(store, null, settings)
  const [first] = await issue(store, agent, {})
  clock.advance(1)
  await issue(store, agent, {})
  await issue(store, agent, {})
  assert.ok(first)
  assert.deepEqual(tailsOf(await read(store)), tailsOfTokens(first))
})

type Case = (world: { readonly agent: TestAgent; readonly kid: string }) => {
  readonly conditions: Partial<CutOffConditions>
  readonly fact: Omit<CutOffFact, 'seq' | 'until'>
}

const ROOT = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071'

const CASES: Readonly<Record<string, Case>> = {
  'an agent': ({ agent }) => ({ conditions: { agent: 1 }, fact: { agent: digest(agent.id) } }),
  'a credential': ({ agent }) => ({
    conditions: { credential: 1 },
    fact: { credential: digest(agent.credentialId) },
  }),
  'a signing key': ({ kid }) => ({ conditions: { key: 1 }, fact: { key: digest(kid) } }),
  'a scope': () => ({ conditions: { scope: 'db:*' }, fact: { scope: 'db:*' } }),
  'what is kept of a scope': () => ({ conditions: { keepScopes: ['db:read'] }, fact: { keep_scopes: ['db:read'] } }),
  'an audience': () => ({ conditions: { audience: HERE }, fact: { audience: digest(HERE) } }),
  'audiences that are kept': () => ({
    conditions: { keepAudiences: [HERE] },
    fact: { keep_audiences: [digest(HERE)] },
  }),
  'a time of issue': () => ({ conditions: { before: START }, fact: { before: START } }),
  'a lineage': () => ({ conditions: { root: ROOT }, fact: { root: tail(ROOT) } }),
  'what was got from others': ({ agent }) => ({
    conditions: { agent: 1, fromAnother: true },
    fact: { agent: digest(agent.id), from_another: true },
  }),
  'agents by their owner': ({ agent }) => ({
    conditions: { selected: { owner: 'team', labels: null, disable: false, agents: [1] } },
    fact: { agents: [digest(agent.id)] },
  }),
}

for (const [name, makeCase] of Object.entries(CASES)) {
  test(`a cut-off on ${name} is one fact with that condition alone, until the last token that it covers expires`, async t => {
    const { store, agent, clock } = await makeWorld(t)
    const { keys } = await store.signingKeys.list(null, 1)
    await issue(store, agent, { lifetimeSeconds: LIFE }, { lifetimeSeconds: 60 })
    const { conditions, fact } = makeCase({ agent, kid: keys[0]?.publicJwk.kid ?? '' })
    const seq = await endAll(store, conditions)
    const { cutOffs, to, ended } = await read(store)
    assert.deepEqual([to, ended.size], [1, 0])
    const [{ until, ...rest } = { until: 0 }] = cutOffs
    assert.deepEqual(rest, { seq, ...fact })
    assert.ok(until >= clock.wall() / 1000 + LIFE && until <= clock.wall() / 1000 + LIFE + 5, String(until))
    assert.ok(JSON.stringify(cutOffs[0]).length <= 200)
  })
}

test('what ends every token has no condition, and lasts as long as any token can', async t => {
  const { store, clock } = await makeWorld(t)
  const seq = await endAll(store, {})
  const { cutOffs } = await read(store)
  assert.deepEqual(cutOffs, [{ seq, until: clock.wall() / 1000 + 86_400 + 4 }])
})

test('disabling, deleting and narrowing an agent and revoking its credential are facts; enabling is none', async t => {
  const { store, agent } = await makeWorld(t)
  const positions: number[] = []
  const after = async (work: () => Promise<unknown>): Promise<void> => {
    await work()
    positions.push((await store.feed.head()).position)
  }
  await after(() => store.agents.disable(agent.id, act('agent.disable')))
  await after(() => store.agents.enable(agent.id, act('agent.enable')))
  const change = { scopes: ['db:read'] }
  await after(() => store.agents.change({ agentId: agent.id, change, serviceAudience: null }, act('agent.change')))
  await after(() => store.agents.delete(agent.id, act('agent.delete')))
  assert.deepEqual(positions, [1, 1, 2, 3])
  const { cutOffs } = await read(store)
  assert.deepEqual(
    cutOffs.map(({ seq: _seq, until: _until, ...rest }) => rest),
    [{ agent: digest(agent.id) }, { agent: digest(agent.id), keep_scopes: ['db:read'] }, { agent: digest(agent.id) }],
  )
})

test('an act that fails adds nothing to the feed', async t => {
  const { store, agent } = await makeWorld(t)
  const id = randomUUID()
  const conditions = {
    agentId: agent.id,
    credentialId: null,
    scope: null,
    audience: null,
    kid: null,
    issuedBefore: null,
    lineage: null,
  }
  const create = () => store.revocations.create({ id, conditions, reason: 'bulk_revocation' }, act('revocation.create'))
  await Promise.all([create(), create(), create()])
  assert.equal((await store.feed.head()).position, 1)
})

test('of 50 callers who end one token one adds a fact', async t => {
  const { store, agent } = await makeWorld(t)
  const [token] = await issue(store, agent, {})
  assert.ok(token)
  await Promise.all(Array.from({ length: 50 }, () => end(store, token)))
  assert.equal((await store.feed.head()).position, 1)
})

test('a page ends at a whole position, and pages follow one another without a gap', async t => {
  const { store, agent } = await makeWorld(t)
  const tokens = await issue(store, agent, ...Array.from({ length: 30 }, () => ({})))
  for (const token of tokens) await end(store, token)
  const seen: TokenAddress[] = []
  for (const [from, to] of [
    [0, 7],
    [7, 8],
    [8, 30],
  ] as const) {
    const page = await read(store, from, to)
    assert.deepEqual([page.from, page.to, page.head.position], [from, to, 30])
    assert.deepEqual(tailsOf(page), tailsOfTokens(...tokens.slice(from, to)))
    seen.push(...tokens.slice(from, to))
  }
  assert.equal(seen.length, 30)
})

const POSITIONS = 5000
const FACTS_EACH = 3
const MANY = `insert into fact (position, until, tails)
  with recursive numbered (n) as (select 0 union all select n + 1 from numbered where n + 1 < ${POSITIONS * FACTS_EACH})
  select n / ${FACTS_EACH} + 1, ${START / 1000 + LIFE}, `

/** More facts than a page holds, each of one token, several a position. */
const writeMany = ({ file }: Pick<TestStore, 'file'>): void =>
  withFile(file, db => {
    const bytes = isPostgresTested() ? `decode(lpad(to_hex(n), 16, '0'), 'hex')` : `unhex(printf('%016x', n))`
    db.prepare(`${MANY}${bytes} from numbered`).run()
    db.prepare(`update service set feed_position = ${POSITIONS}`).run()
  })

test('a page holds at most 8192 facts, all of each position, and the pages hold each fact once', async t => {
  const world = await makeWorld(t)
  writeMany(world)
  const sizes: number[] = []
  for (let from = 0; from < POSITIONS; ) {
    const page = await read(world.store, from)
    const facts = [...page.ended.values()].reduce((sum, tails) => sum + tails.length / 8, 0)
    assert.equal(facts, FACTS_EACH * (page.to - from))
    assert.ok(facts <= PAGE_FACTS_MAX && page.to > from)
    sizes.push(facts)
    from = page.to
  }
  assert.deepEqual(sizes, [8190, FACTS_EACH * POSITIONS - 8190])
})

test('a position beyond the feed, and another epoch, start over', async t => {
  const { store } = await makeWorld(t)
  const { epoch } = await store.feed.head()
  assert.equal(await store.feed.read({ epoch, from: 1, to: null }), 'epoch_changed')
  assert.equal(await store.feed.read({ epoch, from: 0, to: 1 }), 'epoch_changed')
  assert.equal(await store.feed.read({ epoch: 'another', from: 0, to: null }), 'epoch_changed')
  assert.notEqual(await store.feed.read({ epoch, from: 0, to: 0 }), 'epoch_changed')
})

test('a fact is left out from the end of its last second on, and removed later; positions stay', async t => {
  const world = await makeTestStore(KEEP_LONG)
  t.after(world.dispose)
  const { store, clock } = world
  const agent = await createAgent(store)
  const [token] = await issue(store, agent, { lifetimeSeconds: 60 })
  assert.ok(token)
  await end(store, token)
  clock.advance(60_000)
  assert.equal((await read(store)).ended.size, 1)
  clock.advance(1)
  const page = await read(store)
  assert.deepEqual([page.to, page.ended.size], [1, 0])
})

test('positions, facts and the epoch outlive a restart', async t => {
  const world = await makeWorld(t)
  const [token] = await issue(world.store, world.agent, {})
  assert.ok(token)
  await end(world.store, token)
  const before = await world.store.feed.head()
  const { store, dispose } = await world.reopen(null)
  t.after(dispose)
  assert.deepEqual(await store.feed.head(), { ...before, now: (await store.feed.head()).now })
  assert.deepEqual(tailsOf(await read(store)), tailsOfTokens(token))
})
