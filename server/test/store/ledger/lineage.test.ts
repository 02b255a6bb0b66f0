// Lineage: what must have one answer. Each test names the case; random trees are in lists/lineage-brute-force.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { DEPTH_MAX } from '../../../src/domain/ledger/lineage.ts'
import type { TokenAddress } from '../../../src/domain/ledger/claims.ts'
import type { InsertOutcome } from '../../../src/ports/ports.ts'
import { BEFORE_LINEAGE } from '../../../src/store/postgres/connection/connection.ts'
import type { Retention } from '../../../src/store/retention.ts'
import { withClient } from '../../../../testkit/databases/postgres-cluster.ts'
import {
  act,
  createAgent,
  isPostgresTested,
  KEEP_LONG,
  makeTestStore,
  testDatabase,
  newTokens,
  NO_TOKEN_FILTERS,
  type TestAgent,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { fill } from '../lists/backfill-steps.ts'
import { countRows, readNumber } from '../../../../testkit/stores/store-file.ts'

const REVOKE = act('token.revoke')

const makeWorld = async (t: TestContext, retention: Retention | null = KEEP_LONG) => {
  const made = await makeTestStore(retention)
  t.after(made.dispose)
  const [a, b, c] = [await createAgent(made.store), await createAgent(made.store), await createAgent(made.store)]
  return { ...made, a, b, c }
}

type Store = TestStore['store']

const childrenOf = async (store: Store, agent: TestAgent, parent: TokenAddress | undefined, count: number) => {
  const wishes = Array.from({ length: count }, () => ({ lifetimeSeconds: 240 }))
  const tokens = await newTokens(store, agent, wishes)
  return parent === undefined ? tokens : tokens.map(token => ({ ...token, parent }))
}

const exchange = async (
  store: Store,
  agent: TestAgent,
  parent: TokenAddress | undefined,
): Promise<{ readonly token: TokenAddress; readonly outcome: InsertOutcome | Error | undefined }> => {
  const [token] = await childrenOf(store, agent, parent, 1)
  assert.ok(token)
  const [outcome] = await store.ledger.insert([token])
  return { token: { id: token.id, lifetimeSeconds: token.lifetimeSeconds }, outcome }
}

/** A token of the first agent, for which each further one got one from the one before it. */
const chain = async (store: Store, ...agents: readonly TestAgent[]): Promise<readonly TokenAddress[]> => {
  const tokens: TokenAddress[] = []
  for (const agent of agents) {
    const { token, outcome } = await exchange(store, agent, tokens.at(-1))
    assert.equal(outcome, 'inserted')
    tokens.push(token)
  }
  return tokens
}

const isLive = async (store: Store, token: TokenAddress | undefined): Promise<boolean> => {
  assert.ok(token)
  const [found] = await store.ledger.find([token])
  return found !== undefined && !found.dead
}

const endOf = async (store: Store, { id }: TokenAddress = { id: '', lifetimeSeconds: 0 }) => {
  const end = (await store.ledger.show(id))?.end
  return end === null || end === undefined ? end : { reason: end.reason, ancestor: end.ancestorId, note: end.note }
}

const revoke = (store: Store, token: TokenAddress | undefined, note: string) => {
  assert.ok(token)
  return store.ledger.end(token, 'manual_revocation', { ...REVOKE, note })
}

test('a token knows its ancestors, its subject and who acted, and an own narrower token adds no actor', async t => {
  const { store, a, b, c } = await makeWorld(t)
  const [root, own, second, third] = await chain(store, a, a, b, c)
  const found = await store.ledger.find([root, own, second, third].filter(one => one !== undefined))
  assert.deepEqual(
    found.map(one => one?.subject),
    [a, a, a, a].map(({ id: agentId }) => ({ agentId })),
  )
  assert.deepEqual(
    found.map(one => one?.actors),
    [[], [], [b.id], [c.id, b.id]],
  )
  assert.deepEqual(
    found.map(one => one?.ancestors.map(({ id }) => id)),
    [[], [root?.id], [own?.id, root?.id], [second?.id, own?.id, root?.id]],
  )
})

test(`a token has at most ${DEPTH_MAX} ancestors, and no store writes a deeper one`, async t => {
  const { store, a, b } = await makeWorld(t)
  const tokens = await chain(store, ...Array.from({ length: DEPTH_MAX + 1 }, (_, n) => (n % 2 === 0 ? a : b)))
  const deeper = exchange(store, a, tokens.at(-1)).then(({ outcome }) => outcome)
  const outcome = await deeper.catch((fault: unknown) => fault)
  assert.match(String(outcome), /with 8 ancestors gets no child/)
  assert.equal(await revoke(store, tokens[0], 'first'), 'ended')
  for (const token of tokens) assert.equal(await isLive(store, token), false)
})

test('an act that covers parent and child ends each of them of its own', async t => {
  const { store, a, b } = await makeWorld(t)
  const [root, child] = await chain(store, a, b)
  await store.ledger.endAll({ ...NO_CONDITION, scope: 'db:read' }, 'bulk_revocation', { ...REVOKE, note: 'all' })
  for (const token of [root, child]) {
    assert.deepEqual(await endOf(store, token), { reason: 'bulk_revocation', ancestor: null, note: 'all' })
  }
})

test('root and child that are revoked at one instant each have one end, and one call ended each of them', async t => {
  const { store, a, b } = await makeWorld(t)
  for (let round = 0; round < 20; round += 1) {
    const [root, child] = await chain(store, a, b)
    const asked = round % 2 === 0 ? [root, child] : [child, root]
    const outcomes = await Promise.all(asked.map(token => revoke(store, token, token === root ? 'root' : 'child')))
    assert.deepEqual(await endOf(store, root), { reason: 'manual_revocation', ancestor: null, note: 'root' })
    const end = await endOf(store, child)
    const ofChild = outcomes[asked.indexOf(child)]
    if (ofChild === 'ended') assert.deepEqual(end, { reason: 'manual_revocation', ancestor: null, note: 'child' })
    else
      assert.deepEqual(
        [ofChild, end],
        ['already_ended', { reason: 'ancestor_ended', ancestor: root?.id, note: 'root' }],
      )
  }
})

test('a root that ends after its child has followed another ancestor changes nothing of the child', async t => {
  const { store, a, b, c } = await makeWorld(t)
  const [root, child, grandchild] = await chain(store, a, b, c)
  await revoke(store, child, 'child')
  await revoke(store, root, 'root')
  assert.deepEqual(await endOf(store, grandchild), { reason: 'ancestor_ended', ancestor: child?.id, note: 'child' })
})

test('a disabled agent takes along what others got for its tokens, and what it got stays dead when it is enabled', async t => {
  const { store, a, b } = await makeWorld(t)
  const [root, child] = await chain(store, a, b)
  assert.equal(await isLive(store, child), true)
  await store.agents.disable(a.id, act('agent.disable', 'out'))
  for (const token of [root, child]) assert.equal(await isLive(store, token), false)
  await store.agents.enable(a.id, act('agent.enable'))
  assert.equal(await isLive(store, child), false)
  assert.deepEqual(await endOf(store, child), { reason: 'ancestor_ended', ancestor: root?.id, note: 'out' })
  assert.equal((await exchange(store, b, child)).outcome, 'parent_ended')
  assert.equal((await exchange(store, b, root)).outcome, 'parent_ended')
})

/** More tokens than a cut-off moves at once. */
const FILL = 70

test('a child is dead with its parent while the rows of neither have followed', async t => {
  const { store, file, a, b } = await makeWorld(t, null)
  const [root, child] = await chain(store, a, b)
  await store.ledger.insert(await childrenOf(store, a, undefined, FILL))
  assert.equal(await isLive(store, child), true)
  await store.agents.disable(a.id, act('agent.disable', 'out'))
  assert.equal(countRows(file, 'ended'), 0)
  for (const token of [root, child]) assert.equal(await isLive(store, token), false)
  assert.deepEqual(await endOf(store, child), { reason: 'ancestor_ended', ancestor: root?.id, note: 'out' })
  const { records } = await store.ledger.listLive({
    filters: NO_TOKEN_FILTERS,
    audiences: null,
    after: null,
    limit: 100,
  })
  assert.deepEqual(records, [])
})

test('of a cut-off on its parent and a later end of its root the first ends a token, whichever rows follow first', async t => {
  const { store, file, clock, a, b, c } = await makeWorld(t, null)
  const fillers = (await childrenOf(store, c, undefined, 2 * FILL)).map((token, n) => {
    return n < FILL ? { ...token, scope: 'files:read' } : { ...token, audience: ['urn:second'] }
  })
  await store.ledger.insert(fillers)
  const [root] = await chain(store, a)
  const [parent] = (await childrenOf(store, b, root, 1)).map(token => ({ ...token, audience: ['urn:second'] }))
  assert.ok(parent)
  assert.deepEqual(await store.ledger.insert([parent]), ['inserted'])
  const { token: child } = await exchange(store, c, parent)
  await store.ledger.insert(await childrenOf(store, b, root, FILL))
  const end = (conditions: object, note: string) =>
    store.ledger.endAll({ ...NO_CONDITION, ...conditions }, 'bulk_revocation', { ...REVOKE, note })
  await end({ scope: 'files:read' }, 'first')
  await end({ audience: 'urn:second' }, 'second')
  await revoke(store, root, 'third')
  const expected = { reason: 'ancestor_ended', ancestor: parent.id, note: 'second' }
  do assert.deepEqual(await endOf(store, child), expected)
  while ((await fill(file, clock.wall(), 1)) === 'more')
})

const MANY = isPostgresTested() ? 150 : 700
const RACES = isPostgresTested() ? 20 : 60

test('more descendants than follow at once are dead from the acknowledgement on, and follow, each once', async t => {
  const closed = await makeWorld(t, null)
  const { a, b, c } = closed
  const [root, child] = await chain(closed.store, a, b)
  const many = await childrenOf(closed.store, c, child, MANY)
  assert.ok((await closed.store.ledger.insert(many)).every(outcome => outcome === 'inserted'))
  assert.equal(await revoke(closed.store, root, 'root'), 'ended')
  assert.ok((await closed.store.ledger.find(many)).every(one => one === undefined || one.dead))
  assert.equal(countRows(closed.file, 'cascade'), 1)
  const { store } = await closed.reopen(KEEP_LONG)
  for (let turn = 0; countRows(closed.file, 'cascade') > 0; turn += 1) {
    assert.ok(turn < 1000, 'the descendants follow')
    assert.equal(await store.health.check(), null)
  }
  assert.equal(countRows(closed.file, 'ended'), MANY + 2)
  assert.equal(countRows(closed.file, 'token'), 0)
  for (const token of many.slice(0, 3)) {
    assert.deepEqual(await endOf(store, token), { reason: 'ancestor_ended', ancestor: root?.id, note: 'root' })
  }
  await store.close()
})

/** So many turns of the event loop. */
const pass = async (turns: number): Promise<void> => {
  for (let n = 0; n < turns; n += 1) await nextTurn()
}

test('an exchange that races with the end of an ancestor never leaves a live token behind', async t => {
  const { store, a, b, c } = await makeWorld(t)
  const seen = new Set<unknown>()
  for (let round = 0; round < RACES; round += 1) {
    const [root, child] = await chain(store, a, b)
    const [exchanged, outcome] = await Promise.all([
      exchange(store, c, child),
      pass(round % 5).then(() => revoke(store, round % 4 < 2 ? root : child, 'race')),
    ])
    assert.equal(outcome, 'ended')
    seen.add(exchanged.outcome)
    assert.equal(await isLive(store, exchanged.token), false)
    const known = await store.ledger.show(exchanged.token.id)
    assert.equal(known?.end?.reason, exchanged.outcome === 'inserted' ? 'ancestor_ended' : undefined)
  }
  assert.ok(seen.has('inserted') || seen.has('parent_ended'))
})

test('an agent that supersedes its oldest token takes along what others got for it', async t => {
  const { store, clock, b } = await makeWorld(t)
  const limits = { liveTokensMax: 2, atLiveTokensMax: 'supersede' } as const
  const agent = await createAgent(store, null, limits)
  const [first, child] = await chain(store, agent, b)
  for (let n = 0; n < 2; n += 1) {
    clock.advance(1000)
    await chain(store, agent)
  }
  for (const token of [first, child]) assert.equal(await isLive(store, token), false)
  assert.equal((await endOf(store, child))?.reason, 'ancestor_ended')
})

test('from the first token with a parent on no program may open the store that does not look at ancestors', async t => {
  const { store, file, a, b } = await makeWorld(t)
  const version = readNumber(file, `select version from migration where name = 'lineage'`)
  const oldest = (): number => readNumber(file, `select oldest_program from migration where version = ${version}`)
  await chain(store, a)
  assert.ok(oldest() < version)
  await chain(store, a, b)
  assert.equal(oldest(), version)
})

testDatabase('while an earlier program uses the database no token gets a parent', async t => {
  const { store, file, a, b } = await makeWorld(t)
  const [root] = await chain(store, a)
  await withClient(`${file}&application_name=${BEFORE_LINEAGE}`, async () => {
    assert.equal((await exchange(store, b, root)).outcome, 'earlier_program')
  })
  let outcome = (await exchange(store, b, root)).outcome
  // A session is there for a moment after its program has gone.
  while (outcome === 'earlier_program') ({ outcome } = await exchange(store, b, root))
  assert.equal(outcome, 'inserted')
})
