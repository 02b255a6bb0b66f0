// Tokens that act for subjects of trusted issuers: on whose behalf each of a lineage acts, whatever becomes of its row. Random ones are
// in lists/lists-brute-force.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { type CutOffConditions, NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { subjectClaim } from '../../../src/domain/ledger/token-subject.ts'
import type { Page, Position, TokenRecord } from '../../../src/domain/lists/page.ts'
import type { TokenAddress } from '../../../src/domain/ledger/claims.ts'
import {
  BEFORE_BLOCKED_SUBJECTS,
  BEFORE_ENDS_OF_AGENTS,
  BEFORE_JWT_EXCHANGE,
} from '../../../src/store/postgres/connection/connection.ts'
import { withClient } from '../../../../testkit/databases/postgres-cluster.ts'
import { makePrincipals, type TestPrincipal } from '../../../../testkit/stores/principals.ts'
import {
  act,
  createAgent,
  KEEP_LONG,
  makeTestStore,
  newTokens,
  NO_HISTORY_FILTERS,
  NO_TOKEN_FILTERS,
  type TestAgent,
  testDatabase,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { limited } from '../../../../testkit/stores/limited-agents.ts'
import { countRows, readNumber } from '../../../../testkit/stores/store-file.ts'

const makeWorld = async (t: TestContext) => {
  const made = await makeTestStore(KEEP_LONG)
  t.after(made.dispose)
  const [alice, ci, ...others] = await makePrincipals(made.file)
  const otherAlice = others.find(({ shown }) => shown.issuer !== alice?.shown.issuer && shown.sub === alice?.shown.sub)
  assert.ok(alice && ci && otherAlice)
  const [a, b] = [await createAgent(made.store), await createAgent(made.store)]
  return { ...made, alice, ci, otherAlice, a, b }
}

type Store = TestStore['store']

const SEC = 1000

/** Asks for a token of the agent for a principal; what becomes of it. */
const ask = async (store: Store, agent: TestAgent, principal: TestPrincipal | undefined) => {
  const [token] = await newTokens(store, agent, [{}])
  assert.ok(token)
  const [outcome] = await store.ledger.insert([{ ...token, ...(principal && { principal: principal.asked }) }])
  return { token, outcome }
}

const rootFor = async (store: Store, agent: TestAgent, principal: TestPrincipal | undefined): Promise<TokenAddress> => {
  const { token, outcome } = await ask(store, agent, principal)
  assert.equal(outcome, 'inserted')
  return token
}

const childOf = async (store: Store, agent: TestAgent, parent: TokenAddress): Promise<TokenAddress> => {
  const [token] = await newTokens(store, agent, [{ lifetimeSeconds: 240 }])
  assert.ok(token)
  assert.deepEqual(await store.ledger.insert([{ ...token, parent }]), ['inserted'])
  return token
}

/** A root for the principal, one that its agent narrowed, and one that another agent got for that. */
const tree = async (store: Store, a: TestAgent, b: TestAgent, principal: TestPrincipal) => {
  const root = await rootFor(store, a, principal)
  const own = await childOf(store, a, root)
  return [root, own, await childOf(store, b, own)] as const
}

const shownOf = async (store: Store, tokens: readonly TokenAddress[]) => {
  const lives = await Promise.all(tokens.map(({ id }) => store.ledger.show(id)))
  return lives.map(life => life && { subject: life.token.subject, actors: life.token.actors, reason: life.end?.reason })
}

test('each token of a lineage acts for the principal of its root, and so it stays by whatever way it ends', async t => {
  const { store, a, b, alice } = await makeWorld(t)
  const ends: readonly (readonly [reason: string, below: string, end: (root: TokenAddress) => Promise<unknown>])[] = [
    ['manual_revocation', 'ancestor_ended', root => store.ledger.end(root, 'manual_revocation', act('token.revoke'))],
    [
      'bulk_revocation',
      'bulk_revocation',
      ({ id }) => store.ledger.endAll({ ...NO_CONDITION, root: id }, 'bulk_revocation', act('revocation.create')),
    ],
    [
      'agent_disabled',
      'agent_disabled',
      async () => {
        await store.agents.disable(b.id, act('agent.disable'))
        await store.agents.disable(a.id, act('agent.disable'))
      },
    ],
  ]
  const actors = [[a.id], [a.id], [b.id, a.id]]
  for (const [reason, below, end] of ends) {
    const tokens = await tree(store, a, b, alice)
    const found = await store.ledger.find(tokens)
    assert.deepEqual(
      found.map(one => one && [one.subject, one.actors, one.dead]),
      actors.map(each => [alice.shown, each, false]),
    )
    await end(tokens[0])
    const reasons = reason === 'agent_disabled' ? [reason, reason, reason] : [reason, below, below]
    assert.deepEqual(
      await shownOf(store, tokens),
      actors.map((each, n) => ({ subject: alice.shown, actors: each, reason: reasons[n] })),
    )
  }
  const { records } = await store.ledger.listEnded({
    filters: { ...NO_HISTORY_FILTERS, subjectId: 'acme:alice' },
    audiences: null,
    after: null,
    limit: 20,
  })
  assert.equal(records.length, 9)
})

test('tokens that are ended together keep their principals', async t => {
  const { store, a, alice, ci } = await makeWorld(t)
  const roots = await Promise.all([alice, undefined, ci].map(principal => rootFor(store, a, principal)))
  await Promise.all(roots.map(root => store.ledger.end(root, 'manual_revocation', act('token.revoke'))))
  const shown = await shownOf(store, roots)
  assert.deepEqual(
    shown.map(one => one?.subject),
    [alice.shown, { agentId: a.id }, ci.shown],
  )
})

test('subjects of one name at two issuers are two principals, and one is stored once', async t => {
  const { store, file, a, alice, otherAlice } = await makeWorld(t)
  await Promise.all([alice, alice, otherAlice].map(principal => rootFor(store, a, principal)))
  assert.equal(countRows(file, 'principal'), 2)
  for (const [sub, count] of [
    ['acme:alice', 2],
    ['acme-two:alice', 1],
    ['none:alice', 0],
    ['acme:bob', 0],
    [a.id, 0],
  ] as const) {
    const filters = { ...NO_TOKEN_FILTERS, subjectId: sub }
    const { records } = await store.ledger.listLive({ filters, audiences: null, after: null, limit: 10 })
    assert.equal(records.length, count, sub)
  }
})

test('the tree of a root for a principal is listed whole, each token once', async t => {
  const { store, a, b, alice } = await makeWorld(t)
  await rootFor(store, a, alice)
  const tokens = await tree(store, a, b, alice)
  const filters = { ...NO_HISTORY_FILTERS, rootId: tokens[0].id }
  const idsOf = async (list: 'listLive' | 'listEnded') => {
    const ids: string[] = []
    let after: Position | null = null
    do {
      const page: Page<TokenRecord> = await store.ledger[list]({ filters, audiences: null, after, limit: 2 })
      ids.push(...page.records.map(({ id }) => id))
      after = page.next
    } while (after !== null)
    return ids.toSorted()
  }
  const ids = tokens.map(({ id }) => id).toSorted()
  assert.deepEqual(await idsOf('listLive'), ids)
  await store.ledger.end(tokens[0], 'manual_revocation', act('token.revoke'))
  assert.deepEqual(await idsOf('listEnded'), ids)
})

test('at the ceiling a token makes room among those for the same principal alone', async t => {
  const { store, file, clock, alice, otherAlice } = await makeWorld(t)
  const agent = await limited(store, { liveTokensMax: 3, atLiveTokensMax: 'supersede' })
  const made: TokenAddress[] = []
  for (const principal of [alice, undefined, alice]) {
    made.push(await rootFor(store, agent, principal))
    clock.advance(SEC)
  }
  // Nothing is kept of a principal whose token is refused.
  const { outcome } = await ask(store, agent, otherAlice)
  assert.deepEqual([outcome, countRows(file, 'principal')], [{ limit: 'liveTokensMax', retryAfterSeconds: 297 }, 1])
  const alive = async () => (await store.ledger.find(made)).map(one => one !== undefined && !one.dead)
  made.push(await rootFor(store, agent, undefined))
  assert.deepEqual(await alive(), [true, false, true, true])
  made.push(await rootFor(store, agent, alice))
  assert.deepEqual(await alive(), [false, false, true, true, true])
})

testDatabase('while an earlier program uses the database no agent is given an end', async t => {
  const { store, file } = await makeWorld(t)
  await withClient(`${file}&application_name=${BEFORE_ENDS_OF_AGENTS.replace(' ', '%20')}`, async () => {
    await assert.rejects(createAgent(store, null, { expiresAt: 1 }), Unavailable)
    await createAgent(store)
  })
  await createAgent(store, null, { expiresAt: 1 })
})

test('from the first token for a principal on, the first block, or the first end of an agent, no program may open the store that does not know them', async t => {
  const { store, file, a, alice } = await makeWorld(t)
  const isExcluding = (name: string): boolean =>
    readNumber(
      file,
      `select case when oldest_program = version then 1 else 0 end from migration where name = '${name}'`,
    ) === 1
  const excluding = () => ['exchange of JWTs', 'blocked subjects', 'ends of agents'].map(isExcluding)
  await rootFor(store, a, undefined)
  assert.deepEqual(excluding(), [false, false, false])
  await rootFor(store, a, alice)
  assert.deepEqual(excluding(), [true, false, false])
  await store.issuers.block(alice.shown, act('subject.block'))
  assert.deepEqual(excluding(), [true, true, false])
  await createAgent(store, null, { expiresAt: 1 })
  assert.deepEqual(excluding(), [true, true, true])
})

testDatabase(
  'while an earlier program uses the database no subject is blocked, and what ends by one is compared',
  async t => {
    const { store, file, a, alice } = await makeWorld(t)
    const token = await rootFor(store, a, alice)
    const block = () => store.issuers.block(alice.shown, act('subject.block'))
    await withClient(`${file}&application_name=${BEFORE_BLOCKED_SUBJECTS.replace(' ', '%20')}`, async () => {
      await assert.rejects(block(), Unavailable)
      assert.equal(countRows(file, 'blocked_subject'), 0)
      await store.ledger.endAll({ ...NO_CONDITION, principals: [1] }, 'bulk_revocation', act('revocation.create'))
      assert.equal(readNumber(file, 'select anchored from cutoff'), 0)
      assert.deepEqual(await store.ledger.find([token]), [undefined])
    })
  },
)

testDatabase('while an earlier program uses the database no token is issued for a principal', async t => {
  const { store, file, a, alice } = await makeWorld(t)
  for (const name of BEFORE_JWT_EXCHANGE) {
    await withClient(`${file}&application_name=${name.replace(' ', '%20')}`, async () => {
      assert.equal((await ask(store, a, alice)).outcome, 'earlier_program')
      await rootFor(store, a, undefined)
    })
  }
  let { outcome } = await ask(store, a, alice)
  // A session is there for a moment after its program has gone.
  while (outcome === 'earlier_program') ({ outcome } = await ask(store, a, alice))
  assert.equal(outcome, 'inserted')
})

test('of tokens that are written together only the root for a blocked principal is refused', async t => {
  const { store, a, b, alice, ci, otherAlice } = await makeWorld(t)
  const parent = await rootFor(store, b, otherAlice)
  await store.issuers.block(alice.shown, act('subject.block'))
  const [plain, blocked, free, child] = await newTokens(store, a, [{}, {}, {}, { lifetimeSeconds: 240 }])
  assert.ok(plain && blocked && free && child)
  const roots = [
    { ...blocked, principal: alice.asked },
    { ...free, principal: ci.asked },
  ]
  const outcomes = await store.ledger.insert([plain, ...roots, { ...child, parent }])
  assert.deepEqual(outcomes, ['inserted', 'subject_blocked', 'inserted', 'inserted'])
})

const digest = (name: string): string => createHash('sha256').update(name).digest().subarray(0, 8).toString('base64url')

test('a cut-off on some issuers or principals is a fact for each of them, which no one fact could say', async t => {
  const { store, a, alice, ci, otherAlice } = await makeWorld(t)
  for (const principal of [alice, ci, otherAlice]) await rootFor(store, a, principal)
  const end = (conditions: Partial<CutOffConditions>) =>
    store.ledger.endAll({ ...NO_CONDITION, agent: 1, ...conditions }, 'actor_removed', act('agent.change'))
  await end({ issuers: [alice.asked.issuer, otherAlice.asked.issuer] })
  await end({ principals: [1, 2] })
  const page = await store.feed.read({ epoch: null, from: 0, to: null })
  assert.ok(typeof page === 'object')
  const facts = page.cutOffs.map(({ seq: _seq, until: _until, ...rest }) => rest)
  const agent = digest(a.id)
  assert.deepEqual(facts, [
    { agent, issuer: digest('acme') },
    { agent, issuer: digest('acme-two') },
    { agent, subject: digest(subjectClaim(alice.shown)) },
    { agent, subject: digest(subjectClaim(ci.shown)) },
  ])
})
