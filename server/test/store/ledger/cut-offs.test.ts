// Acts that end many tokens at once: from the acknowledgement on for every look-up, row by row in the background.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { TokenAddress } from '../../../src/domain/ledger/claims.ts'
import { type CutOffConditions, NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { backfillStep } from '../../../src/store/ledger/backfill.ts'
import {
  act,
  createAgent,
  issue,
  KEEP_LONG,
  makeTestStore,
  newTokens,
  START,
  type TestAgent,
  type TestedStore,
  type TestStore,
  type TokenWish,
} from '../../../../testkit/stores/store.ts'
import { makePrincipals, type TestPrincipal } from '../../../../testkit/stores/principals.ts'
import {
  countRows,
  inTransaction,
  readRow,
  readRows,
  withFile,
  withWritingConnection,
} from '../../../../testkit/stores/store-file.ts'

const REVOKE = act('token.revoke')
/** The most rows that an act moves by itself. */
const FEW = 64
/** The most rows that it looks at. */
const EXAMINED = 1000

const makeWorld = async (t: TestContext): Promise<TestStore & { readonly agent: TestAgent }> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return { ...world, agent: await createAgent(world.store) }
}

const wishes = (count: number, wish: TokenWish = {}): readonly TokenWish[] => Array.from({ length: count }, () => wish)

const numbersOf = async (store: TestedStore, agent: TestAgent) => {
  const [token] = await newTokens(store, agent, [{}])
  assert.ok(token)
  return { agent: token.agent, credential: token.credential, key: token.signingKey }
}

/** `moved`: its row is gone from the live ones. */
const outcomeOf = async (store: TestedStore, tokens: readonly TokenAddress[]): Promise<readonly string[]> => {
  const found = await store.ledger.find(tokens)
  return [...new Set(found.map(token => (token === undefined ? 'moved' : token.dead ? 'dead' : 'alive')))]
}

/** Runs the fill as the writing thread does, at most so many steps; says whether nothing is left. */
const fill = (world: TestStore, steps: number): boolean =>
  withWritingConnection(world, connection => {
    for (let n = 0; n < steps; n += 1) if (inTransaction(connection, backfillStep) === 'nothing_left') return true
    return false
  })

const endedSeqs = (file: string) =>
  readRow(
    file,
    `select service.ended_seq > 0 as service, agent.ended_seq > 0 as agent, credential.ended_seq > 0 as credential,
      signing_key.ended_seq > 0 as "key" from service, agent, credential, signing_key where agent.n = 1 and credential.n = 1`,
  )

for (const anchor of ['service', 'agent', 'credential', 'key'] as const) {
  test(`the number of the ${anchor} alone makes every older token of it dead, and no younger one`, async t => {
    const { store, agent, file } = await makeWorld(t)
    const bystander = await createAgent(store)
    const tokens = await issue(store, agent, ...wishes(FEW + 1))
    const others = await issue(store, bystander, {})
    const numbers = { service: null, ...(await numbersOf(store, agent)) }
    const only = anchor === 'service' ? NO_CONDITION : { ...NO_CONDITION, [anchor]: numbers[anchor] }
    await store.ledger.endAll(only, 'bulk_revocation', REVOKE)
    // Without its cut-off nothing but the number is left to judge by.
    withFile(file, db => db.exec(`update cutoff set state = 'closed'`))
    assert.deepEqual(endedSeqs(file), { service: 0, agent: 0, credential: 0, key: 0, [anchor]: 1 })
    assert.deepEqual(await outcomeOf(store, tokens), ['dead'])
    const spared = anchor === 'agent' || anchor === 'credential'
    assert.deepEqual(await outcomeOf(store, others), [spared ? 'alive' : 'dead'])
    // Younger tokens live: those of a signing key that was ended are signed by the one that stood by.
    assert.deepEqual(await outcomeOf(store, await issue(store, agent, {})), ['alive'])
  })
}

for (const anchor of ['issuer', 'principal'] as const) {
  test(`the number of the ${anchor} alone makes every older token for it dead, and no younger one`, async t => {
    const { store, agent, file } = await makeWorld(t)
    const [alice, bob, , , ofAnother] = await makePrincipals(file)
    assert.ok(alice && bob && ofAnother)
    const issueFor = async ({ asked: principal }: TestPrincipal) => {
      const tokens = (await newTokens(store, agent, wishes(FEW + 1))).map(token => ({ ...token, principal }))
      assert.deepEqual(new Set(await store.ledger.insert(tokens)), new Set(['inserted']))
      return tokens
    }
    const [tokens, beside, others] = [await issueFor(alice), await issueFor(bob), await issueFor(ofAnother)]
    const plain = await issue(store, agent, {})
    const { n } = readRow(
      file,
      `select n from principal where sub = '${alice.asked.sub}' and issuer = ${alice.asked.issuer}`,
    )
    const only = anchor === 'issuer' ? { issuers: [alice.asked.issuer] } : { principals: [Number(n)] }
    await store.ledger.endAll({ ...NO_CONDITION, ...only }, 'bulk_revocation', REVOKE)
    assert.deepEqual(readRow(file, 'select anchored from cutoff'), { anchored: 1 })
    withFile(file, db => db.exec(`update cutoff set state = 'closed'`))
    assert.deepEqual(await outcomeOf(store, tokens), ['dead'])
    assert.deepEqual(await outcomeOf(store, beside), [anchor === 'issuer' ? 'dead' : 'alive'])
    assert.deepEqual(await outcomeOf(store, [...others, ...plain, ...(await issueFor(alice))]), ['alive'])
  })
}

type Compound = {
  readonly title: string
  readonly conditions: Partial<CutOffConditions>
  readonly hit: TokenWish
  readonly spared: TokenWish
}

const [HERE, THERE] = ['https://here.example', 'https://there.example']

const COMPOUNDS: readonly Compound[] = [
  { title: 'a scope item', conditions: { scope: 'db:write' }, hit: { scope: 'db:read db:write' }, spared: {} },
  { title: 'a resource', conditions: { scope: 'db:*' }, hit: { scope: 'db:read' }, spared: { scope: 'dbx:read' } },
  {
    title: 'scopes to keep',
    conditions: { keepScopes: ['db:read', 'log:*'] },
    hit: { scope: 'db:read db:write' },
    spared: { scope: 'db:read log:any' },
  },
  {
    title: 'an audience',
    conditions: { audience: HERE },
    hit: { audience: [THERE, HERE] },
    spared: { audience: [THERE] },
  },
  {
    title: 'audiences to keep',
    conditions: { keepAudiences: [HERE] },
    hit: { audience: [HERE, THERE] },
    spared: { audience: [HERE] },
  },
  {
    title: 'an agent and a scope item',
    conditions: { agent: 1, scope: 'db:write' },
    hit: { scope: 'db:write' },
    spared: {},
  },
  {
    title: 'a signing key and an audience',
    conditions: { key: 1, audience: HERE },
    hit: { audience: [HERE] },
    spared: { audience: [THERE] },
  },
]

for (const { title, conditions, hit, spared } of COMPOUNDS) {
  for (const count of [FEW, FEW + 1]) {
    test(`a cut-off by ${title} ends the ${count} tokens it covers and no other`, async t => {
      const { store, agent, file } = await makeWorld(t)
      const covered = await issue(store, agent, ...wishes(count, hit))
      const others = await issue(store, agent, spared)
      await store.ledger.endAll({ ...NO_CONDITION, ...conditions }, 'scope_removed', REVOKE)
      assert.deepEqual(await outcomeOf(store, covered), [count > FEW ? 'dead' : 'moved'])
      assert.deepEqual(await outcomeOf(store, others), ['alive'])
      assert.deepEqual(await outcomeOf(store, await issue(store, agent, hit)), ['alive'], 'issued after the act')
      assert.equal(countRows(file, `cutoff where state = 'open'`), count > FEW ? 1 : 0)
    })
  }
}

test('a cut-off by time of issue ends what was issued before the instant, not at it', async t => {
  const { store, agent, clock } = await makeWorld(t)
  const before = await issue(store, agent, {})
  clock.advance(1)
  const at = await issue(store, agent, {})
  await store.ledger.endAll({ ...NO_CONDITION, before: START + 1 }, 'bulk_revocation', REVOKE)
  assert.deepEqual([await outcomeOf(store, before), await outcomeOf(store, at)], [['moved'], ['alive']])
})

test('a fill stopped in the middle goes on where it stopped and moves each covered row once', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  const lifetimes = [60, 300, 600]
  for (const lifetimeSeconds of lifetimes) await issue(store, agent, ...wishes(400, { lifetimeSeconds }))
  const others = await issue(store, await createAgent(store), {})
  const { agent: n } = await numbersOf(store, agent)
  await store.ledger.endAll({ ...NO_CONDITION, agent: n }, 'agent_disabled', REVOKE)
  const progress: number[] = []
  for (const _ of [1, 2, 3]) {
    fill(world, 1)
    progress.push(countRows(file, 'ended'))
    assert.equal(countRows(file, 'token') + countRows(file, 'ended'), 1201)
  }
  assert.deepEqual(progress, [500, 1000, 1200])
  assert.ok(fill(world, 2))
  const ended = `ended where reason = 4 and at = ${START} and act = (select act from cutoff)`
  assert.equal(countRows(file, ended), 1200)
  assert.equal(countRows(file, `cutoff where state = 'closed'`), 1)
  assert.deepEqual(await outcomeOf(store, others), ['alive'])
})

test('a service in work fills a cut-off by itself', async t => {
  const world = await makeTestStore(KEEP_LONG)
  t.after(world.dispose)
  const agent = await createAgent(world.store)
  for (const _ of [1, 2]) await issue(world.store, agent, ...wishes(600))
  await world.store.agents.disable(agent.id, act('agent.disable'))
  // It makes room for the caller that asked a moment ago: how many turns it takes is no matter.
  while (countRows(world.file, 'token') > 0) assert.equal(await world.store.health.check(), null)
  assert.equal(countRows(world.file, 'ended'), 1200)
})

test('of two cut-offs over one token the first one is its end, whichever way its row goes', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  const tokens = await issue(store, agent, ...wishes(FEW + 1))
  const [single] = tokens
  assert.ok(single)
  await store.ledger.endAll({ ...NO_CONDITION, scope: 'db:read' }, 'scope_removed', REVOKE)
  world.clock.advance(10)
  await store.ledger.endAll(NO_CONDITION, 'bulk_revocation', REVOKE)
  assert.equal(await store.ledger.end(single, 'manual_revocation', REVOKE), 'already_ended')
  assert.equal(countRows(file, `ended where reason = 9 and at = ${START}`), 1)
  assert.ok(fill(world, 4))
  assert.equal(countRows(file, `ended where reason = 9 and at = ${START}`), FEW + 1)
  assert.equal(countRows(file, `audit where subject is not null and kind = 'token.revoke'`), 0)
})

test('a small act takes no token that an open one before it has ended', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  await issue(store, agent, ...wishes(FEW + 1), { audience: [HERE] })
  await store.ledger.endAll({ ...NO_CONDITION, scope: 'db:read' }, 'scope_removed', REVOKE)
  await store.ledger.endAll({ ...NO_CONDITION, audience: HERE }, 'bulk_revocation', REVOKE)
  assert.ok(fill(world, 4))
  assert.equal(countRows(file, 'ended where reason = 9'), FEW + 2)
})

test('a token that had expired before a cut-off stays expired; one that expired after it was ended by it', async t => {
  const world = await makeWorld(t)
  const { store, agent, file, clock } = world
  const gone = await issue(store, agent, { lifetimeSeconds: 10 })
  const dying = await issue(store, agent, ...wishes(FEW + 1, { lifetimeSeconds: 11 }))
  clock.advance(10_000)
  await store.ledger.endAll(NO_CONDITION, 'bulk_revocation', REVOKE)
  clock.advance(5_000)
  assert.ok(fill(world, 3))
  assert.deepEqual([await outcomeOf(store, gone), await outcomeOf(store, dying)], [['dead'], ['moved']])
  assert.equal(countRows(file, `ended where reason = 2 and at = ${START + 10_000}`), FEW + 1)
})

test('a 65th open compound cut-off is refused and leaves nothing; wide ones and single ends still work', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  const [single] = await issue(store, agent, { lifetimeSeconds: 60, scope: 'log:any' })
  assert.ok(single)
  await issue(store, agent, ...wishes(EXAMINED))
  const compound = () => store.ledger.endAll({ ...NO_CONDITION, scope: 'db:read' }, 'scope_removed', REVOKE)
  for (let n = 0; n < 64; n += 1) await compound()
  const state = () =>
    readRows(
      file,
      'select seq, last_end_seq, (select count(*) from act) as a, (select count(*) from audit) as b from service',
    )
  const before = state()
  await assert.rejects(compound(), Unavailable)
  assert.deepEqual(state(), before)
  assert.equal(await store.ledger.end(single, 'manual_revocation', REVOKE), 'ended')
  const wide = await store.ledger.endAll({ ...NO_CONDITION, agent: 1 }, 'agent_disabled', REVOKE)
  assert.equal(countRows(file, `cutoff where seq = ${wide} and anchored = 1 and state = 'open'`), 1)
  assert.ok(fill(world, 300))
  await compound()
})

for (const count of [1, FEW + 1]) {
  test(`no one of ${count} tokens of an agent disabled and enabled again in the same millisecond lives again`, async t => {
    const world = await makeWorld(t)
    const { store, agent } = world
    const tokens = await issue(store, agent, ...wishes(count))
    const raced = await newTokens(store, agent, [{}])
    await store.agents.disable(agent.id, act('agent.disable'))
    assert.deepEqual(await store.ledger.insert(raced), ['decide_again'])
    await store.agents.enable(agent.id, act('agent.enable'))
    assert.deepEqual(await store.ledger.insert(raced), ['decide_again'])
    const later = await issue(store, agent, {})
    const gone = count > FEW ? 'dead' : 'moved'
    assert.deepEqual([await outcomeOf(store, tokens), await outcomeOf(store, later)], [[gone], ['alive']])
    assert.ok(fill(world, 3))
    const { store: again, dispose } = await world.reopen(null)
    t.after(dispose)
    assert.deepEqual([await outcomeOf(again, tokens), await outcomeOf(again, later)], [['moved'], ['alive']])
    assert.deepEqual(await outcomeOf(again, raced), ['moved'])
  })
}
