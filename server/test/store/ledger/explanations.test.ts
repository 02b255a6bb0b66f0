// Why a token is dead, at the store's port: every reason is one code, of a moved row and of one under an open cut-off.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHECKS_OF_SUBJECTS, OWN_CHECKS } from '../../../../api/values/explanation.ts'
import { type EndingReason, REASONS } from '../../../../api/values/reason.ts'
import { codeOf, type LedgerExplanation } from '../../../src/domain/ledger/explanation.ts'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  testEmbedded,
  type TestedStore,
  type TokenWish,
} from '../../../../testkit/stores/store.ts'
import { planOf } from '../lists/list-plans.ts'
import { explainStatements } from './explain-statements.ts'

/** An act that covers more leaves their rows to the backfill. */
const FEW = 64

const ENDING_REASONS = Object.keys(REASONS).filter(reason => reason !== 'expired') as readonly EndingReason[]

const explain = async (store: TestedStore, id: string): Promise<LedgerExplanation> => {
  const found = await store.ledger.explain(id)
  assert.ok(found)
  return found
}

const failedOf = ({ checks }: LedgerExplanation): readonly string[] =>
  checks.filter(({ isPassed }) => !isPassed).map(({ check }) => check)

test('each reason of an end is the code of the token, once its row is moved', async t => {
  const { store, dispose } = await makeTestStore(null)
  t.after(dispose)
  const agent = await createAgent(store)
  for (const reason of ENDING_REASONS) {
    const [token] = await issue(store, agent, {})
    assert.ok(token)
    assert.equal(await store.ledger.end(token, reason, act('token.revoke', 'a note')), 'ended')
    const explained = await explain(store, token.id)
    assert.equal(codeOf(explained), reason)
    assert.deepEqual(failedOf(explained), ['end'])
    const [only] = explained.checks
    assert.deepEqual([only?.evidence.act?.reason, only?.evidence.act?.note], [reason, 'a note'])
  }
})

for (const [check, conditions] of [
  ['service', {}],
  ['agent', { agent: 1 }],
  ['credential', { credential: 1 }],
  ['signing_key', { key: 1 }],
  ['cut_offs', { scope: 'db:read' }],
] as const) {
  test(`each reason is the code of a token under an open cut-off, where the check ${check} fails with the act`, async t => {
    const { store, dispose } = await makeTestStore(null)
    t.after(dispose)
    const agent = await createAgent(store)
    for (const reason of ENDING_REASONS.slice(0, check === 'cut_offs' ? ENDING_REASONS.length : 3)) {
      const wish: TokenWish = { scope: 'db:read' }
      const tokens = await issue(store, agent, ...Array.from({ length: FEW + 1 }, () => wish))
      const [token] = tokens
      assert.ok(token)
      assert.equal(codeOf(await explain(store, token.id)), 'active')
      await store.ledger.endAll({ ...NO_CONDITION, ...conditions }, reason, act('revocation.create', 'many'))
      const explained = await explain(store, token.id)
      assert.equal(codeOf(explained), reason)
      // A cut-off that has an anchor is open as well, until the rows have followed.
      assert.deepEqual(failedOf(explained), check === 'cut_offs' ? ['cut_offs'] : [check, 'cut_offs'])
      for (const one of explained.checks.filter(({ isPassed }) => !isPassed)) {
        assert.deepEqual([one.evidence.act?.reason, one.evidence.act?.note], [reason, 'many'], one.check)
      }
    }
  })
}

test('a live token passes every check; at its exp it has expired, by the clock of the store', async t => {
  const { store, clock, dispose } = await makeTestStore(null)
  t.after(dispose)
  const [token] = await issue(store, await createAgent(store), { lifetimeSeconds: 300 })
  assert.ok(token)
  const live = await explain(store, token.id)
  assert.equal(codeOf(live), 'active')
  assert.deepEqual(
    live.checks.map(({ check }) => check),
    ['end', ...OWN_CHECKS.filter(check => !CHECKS_OF_SUBJECTS.includes(check))],
  )
  const { expiresAt } = live.life.token
  clock.advance(1000 * expiresAt - clock.wall() - 1)
  assert.equal(codeOf(await explain(store, token.id)), 'active')
  clock.advance(1)
  const expired = await explain(store, token.id)
  assert.equal(codeOf(expired), 'expired')
  assert.deepEqual(failedOf(expired), ['expiry'])
  const [, expiry] = expired.checks
  assert.deepEqual(expiry?.evidence, { now: 1000 * expiresAt, expiresAt: 1000 * expiresAt })
})

test('a token that an act ended before its exp keeps the reason of that act, although it has expired since', async t => {
  const { store, clock, dispose } = await makeTestStore(null)
  t.after(dispose)
  const agent = await createAgent(store)
  const [token] = await issue(store, agent, ...Array.from({ length: FEW + 1 }, () => ({ lifetimeSeconds: 300 })))
  assert.ok(token)
  await store.ledger.endAll({ ...NO_CONDITION, agent: 1 }, 'agent_disabled', act('agent.disable'))
  clock.advance(300_000)
  const explained = await explain(store, token.id)
  assert.equal(codeOf(explained), 'agent_disabled')
  assert.deepEqual(failedOf(explained), ['expiry', 'agent', 'cut_offs'])
})

test('a token that never was is not explained', async t => {
  const { store, dispose } = await makeTestStore(null)
  t.after(dispose)
  await createAgent(store)
  assert.equal(await store.ledger.explain('019aa5a0-6f3c-7c1e-9d0f-2b1a7c3e9a10'), undefined)
})

testEmbedded('an explanation only looks up keys: nothing grows with the number of tokens', async t => {
  const { store, file, dispose } = await makeTestStore(null)
  t.after(dispose)
  const statements = await explainStatements(store)
  assert.equal(statements.length, 6)
  for (const statement of statements) {
    assert.match(
      planOf(file, statement).join('; '),
      /^SEARCH \w+ USING (?:PRIMARY KEY|INTEGER PRIMARY KEY) \([^;]*$/,
      statement,
    )
  }
})
