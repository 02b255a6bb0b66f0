// Open compound cut-offs are few, and every caller has a share of them: none can keep the others from ending tokens.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Act, Actor } from '../../../src/domain/audit/act.ts'
import type { ActKind } from '../../../../api/values/audit.ts'
import { type CutOffConditions, NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { backfillStep } from '../../../src/store/ledger/backfill.ts'
import { createAgent, issue, makeTestStore, type TestAgent, type TestStore } from '../../../../testkit/stores/store.ts'
import { run } from '../../../src/store/statement-program.ts'
import { countRows, inTransaction, readRows, withWritingConnection } from '../../../../testkit/stores/store-file.ts'

const API: Actor = { type: 'api_key', id: 'key-1' }
const OPERATOR: Actor = { type: 'operator', iss: 'https://idp.example', sub: 'olga' }
const CLI: Actor = { type: 'cli', id: 'root@host' }

const apiKey = (n: number): Actor => ({ type: 'api_key', id: `key-${n}` })

const actBy = (actor: Actor, kind: ActKind = 'revocation.create'): Act => ({
  kind,
  actor,
  note: null,
  requestId: null,
  source: null,
})

type World = TestStore & { readonly agent: TestAgent }

/** More tokens than an act looks at, so that a cut-off that may cover some stays open. */
const LARGE = 1001

const makeWorld = async (t: TestContext): Promise<World> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  const agent = await createAgent(world.store)
  await issue(world.store, agent, ...Array.from({ length: LARGE }, () => ({})))
  return { ...world, agent }
}

const WIDE: Partial<CutOffConditions> = { scope: 'db:read' }

const endBy = ({ store }: World, act: Act, conditions: Partial<CutOffConditions> = WIDE): Promise<number> =>
  store.ledger.endAll({ ...NO_CONDITION, ...conditions }, 'bulk_revocation', act)

const times = async (count: number, work: (n: number) => Promise<unknown>): Promise<void> => {
  for (let n = 0; n < count; n += 1) await work(n)
}

const refused = (work: Promise<unknown>, message: RegExp): Promise<void> =>
  assert.rejects(work, (error: unknown) => error instanceof Unavailable && message.test(error.message))

const stateOf = ({ file }: World) =>
  readRows(
    file,
    `select seq, last_end_seq, (select count(*) from act) as acts, (select count(*) from cutoff) as cutoffs from service`,
  )

test('the ninth open revocation of one API key is refused and leaves nothing; every other caller goes on', async t => {
  const world = await makeWorld(t)
  await times(8, () => endBy(world, actBy(API)))
  const before = stateOf(world)
  await refused(endBy(world, actBy(API)), /8 acts of this API key are still being worked off/)
  assert.deepEqual(stateOf(world), before)
  for (const actor of [apiKey(2), OPERATOR, CLI]) await endBy(world, actBy(actor))
  await endBy(world, actBy({ type: 'system' }, 'agent.change'))
})

test('API keys together leave half of the places to operators, whatever they do', async t => {
  const world = await makeWorld(t)
  await times(32, n => endBy(world, actBy(apiKey(n), n % 2 === 0 ? 'agent.change' : 'revocation.create')))
  await refused(endBy(world, actBy(apiKey(40))), /32 acts of API keys are/)
  await refused(endBy(world, actBy(apiKey(40), 'agent.change')), /32 acts of API keys are/)
  await endBy(world, actBy(OPERATOR))
})

test('revocations leave the last places to changes of agents, which may take all of them', async t => {
  const world = await makeWorld(t)
  await times(32, () => endBy(world, actBy(OPERATOR)))
  await refused(endBy(world, actBy(OPERATOR)), /32 revocations by this caller are/)
  await times(16, () => endBy(world, actBy(CLI)))
  await refused(endBy(world, actBy({ ...OPERATOR, sub: 'otto' })), /48 revocations are/)
  await times(16, () => endBy(world, actBy(OPERATOR, 'agent.change')))
  await refused(endBy(world, actBy(OPERATOR, 'agent.change')), /64 revocations and changes of agents are/)
})

test('two operators of one subject at different issuers are two callers', async t => {
  const world = await makeWorld(t)
  await times(32, () => endBy(world, actBy(OPERATOR)))
  await endBy(world, actBy({ type: 'operator', iss: 'https://other.example', sub: 'olga' }))
})

test('what covers few tokens needs no place, also where all of the share are taken', async t => {
  const world = await makeWorld(t)
  await times(8, () => endBy(world, actBy(API)))
  const other = await createAgent(world.store)
  await issue(world.store, other, { scope: 'log:any' })
  await endBy(world, actBy(API), { agent: 2, scope: 'log:any' })
  assert.equal(countRows(world.file, `cutoff where state = 'open'`), 8)
})

test('a cut-off that was worked off gives its place back', async t => {
  const world = await makeWorld(t)
  await times(8, () => endBy(world, actBy(API)))
  withWritingConnection(world, connection => {
    while (inTransaction(connection, backfillStep) === 'more');
  })
  await issue(world.store, world.agent, ...Array.from({ length: LARGE }, () => ({})))
  await endBy(world, actBy(API))
})

for (const [what, conditions] of [
  ['an audience', { audience: 'https://nobody.example' }],
  ['an audience with the signs of a pattern', { audience: 'https://here.example/%_!' }],
  ['a scope item', { scope: 'nothing:read' }],
  ['a resource', { scope: 'nothing:*' }],
] as const) {
  test(`${what} that no token has takes no place, however many tokens there are`, async t => {
    const world = await makeWorld(t)
    const audience = ['https://here.example/x_y!']
    await issue(world.store, world.agent, { audience })
    await times(9, () => endBy(world, actBy(API), conditions))
    assert.equal(countRows(world.file, `cutoff where state = 'open'`), 0)
  })
}

for (const [what, conditions] of [
  ['an audience', { audience: 'https://100%_here.example/!a' }],
  ['a scope item', { scope: 'late:read' }],
  ['a resource', { scope: 'late:*' }],
] as const) {
  test(`${what} that only a token far down the ledger has keeps its cut-off open until that token is moved`, async t => {
    const world = await makeWorld(t)
    const wish = { scope: 'late:read', audience: ['https://a.example', 'https://100%_here.example/!a'] }
    const [late] = await issue(world.store, world.agent, wish)
    assert.ok(late)
    await endBy(world, actBy(API), conditions)
    const [found] = await world.store.ledger.find([late])
    assert.equal(found?.dead, true)
    assert.equal(countRows(world.file, `cutoff where state = 'open'`), 1)
  })
}

const selecting = (owner: string): Partial<CutOffConditions> => ({
  selected: { owner, labels: null, disable: false, agents: [1] },
})

test('open selections of agents by owner and labels take places, each a share, and leave those of others', async t => {
  const world = await makeWorld(t)
  await times(8, n => endBy(world, actBy(API), selecting(`owner ${n}`)))
  const before = stateOf(world)
  await refused(endBy(world, actBy(API), selecting('one more')), /8 acts of this API key are still being worked off/)
  assert.deepEqual(stateOf(world), before)
  await endBy(world, actBy(OPERATOR), selecting('one more'))
  // An emergency that concerns one agent is never refused.
  await endBy(world, actBy(API), { agent: 1 })
})

const openOf = ({ file }: World) => countRows(file, `cutoff where state = 'open'`)

test('look-ups compare no act that is a number on its agents, however many are open', async t => {
  const world = await makeWorld(t)
  const [token] = await issue(world.store, world.agent, {})
  assert.ok(token)
  await endBy(world, actBy(OPERATOR), { agent: 1 })
  assert.equal(openOf(world), 1)
  withWritingConnection(world, connection => {
    // A look-up that read this one would fail.
    inTransaction(connection, () => run(`update cutoff set conditions = 'unread'`))
  })
  const [found] = await world.store.ledger.find([token])
  assert.equal(found?.dead, true)
})

for (const [what, conditions] of [
  ['an agent', { agent: 1 }],
  ['agents by owner', selecting('Ada')],
  ['every token', {}],
] as const) {
  test(`the same end of ${what} again leaves one act open, and ends what was issued meanwhile`, async t => {
    const world = await makeWorld(t)
    const act = actBy(OPERATOR)
    world.clock.advance(3000)
    await endBy(world, act, conditions)
    assert.equal(openOf(world), 1)
    await times(10, () => endBy(world, act, conditions))
    assert.equal(openOf(world), 1)
    await issue(world.store, world.agent, {}, {})
    await endBy(world, act, conditions)
    assert.deepEqual([openOf(world), countRows(world.file, 'ended')], [1, 2])
    withWritingConnection(world, connection => {
      while (inTransaction(connection, backfillStep) === 'more');
    })
    assert.deepEqual([countRows(world.file, 'token'), countRows(world.file, 'ended')], [0, LARGE + 2])
  })
}
