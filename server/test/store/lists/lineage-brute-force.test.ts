// Lineage against brute force: random trees of tokens, every kind of act at any of them, steps of the clock, restarts and
// steps of the background; then every token is what the model says, by look-up, by its record, in both lists, and to followers
// of the revocation feed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codeOf } from '../../../src/domain/ledger/explanation.ts'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { subjectClaim } from '../../../src/domain/ledger/token-subject.ts'
import { NO_CONDITIONS } from '../../../src/domain/ledger/revocation.ts'
import type { LineageRecord, Page, Position, TokenLife } from '../../../src/domain/lists/page.ts'
import { makeStoreFollower, type StoreFollower } from '../../../../testkit/feed/follow-store.ts'
import { isThorough } from '../../../../testkit/loads/thorough.ts'
import { isPostgresTested, KEEP_LONG, NO_HISTORY_FILTERS, NO_TOKEN_FILTERS } from '../../../../testkit/stores/store.ts'
import { fill, openCutOffCount } from './backfill-steps.ts'
import { ancestorsOf, type ModelToken } from './list-model.ts'
import { makeRandom, type Random } from './list-random.ts'
import { assertSameRows, scanEnded, scanLive } from './scan-list.ts'
import {
  exchangeInWorld,
  issueInWorld,
  makeWorld,
  revokeInWorld,
  stepWorld,
  storeNow,
  type World,
} from './list-world.ts'

// On PostgreSQL less: what is shared is tried on the embedded store too.
const SMALL = [1, 20, [20, 100]] as const
const USUAL = [2, 50, [20, 100]] as const
const THOROUGH = [5, 50, [20, 100, 900]] as const
const OF_STORE = isPostgresTested() ? SMALL : USUAL
const [WORLDS, STEPS, BUSH] = isThorough ? THOROUGH : OF_STORE
const SCOPE_ITEMS_MOST = 3

const lifeOf = ({ model }: World, token: ModelToken, now: number): TokenLife => ({
  token: token.record,
  end: model.endingOf(token, now),
})

const compareTokens = async (world: World): Promise<void> => {
  const { test: tested, model } = world
  const now = await storeNow(world)
  const addresses = model.tokens.map(({ record, lifetimeSeconds }) => ({ id: record.id, lifetimeSeconds }))
  const found = await tested.store.ledger.find(addresses)
  for (const [n, token] of model.tokens.entries()) {
    const one = found[n]
    assert.equal(one !== undefined && !one.dead, model.isLive(token, now), `${token.record.id} is active`)
    const life = lifeOf(world, token, now)
    assert.deepEqual(await tested.store.ledger.show(token.record.id), life)
    const explained = await tested.store.ledger.explain(token.record.id)
    assert.deepEqual(explained?.life, life)
    assert.equal(explained && codeOf(explained), life.end?.reason ?? 'active')
  }
}

/**
 * A follower refuses every token that an act has ended, and no other. It asks only where what decides is not in the token: the scope
 * or the audience of an ancestor.
 */
const compareFollower = async (world: World, follower: StoreFollower): Promise<void> => {
  const { test: tested, model } = world
  await follower.catchUp(tested.store.feed)
  const now = await storeNow(world)
  for (const token of model.tokens.filter(({ expiresMs }) => now < expiresMs)) {
    const ancestors = ancestorsOf(token)
    const verdict = follower.judge(token, ancestors)
    const right = model.isLive(token, now) ? 'live' : 'ended'
    const mayAsk = ancestors.length > 0 && verdict === 'ask'
    assert.ok(verdict === right || mayAsk, `${token.record.id} is ${right}, and a follower says ${verdict}`)
  }
}

const compareLists = async (world: World): Promise<void> => {
  const { test: tested, model, random } = world
  const now = await storeNow(world)
  const limit = () => random.pick([3, 40, 300])
  const live = { filters: NO_TOKEN_FILTERS, audiences: null }
  assertSameRows(await scanLive(tested.store.ledger, { ...live, limit }), model.live(live, now))
  const ended = { filters: NO_HISTORY_FILTERS, audiences: null }
  assertSameRows(await scanEnded(tested.store.ledger, { ...ended, limit }), model.ended(ended, now))
}

/** A revocation is counted as it would end tokens, with all that descend from them. */
const compareDryRun = async (world: World): Promise<void> => {
  const { test: tested, model, agents, principals, random } = world
  const [agent, token, principal] = [random.pick(agents), random.pick(model.tokens), random.pick(principals)]
  const root = ancestorsOf(token).at(-1) ?? token
  const [asked, conditions] = random.pick([
    [{ agentId: agent.id }, { agent: agent.number }],
    [{ scope: 'db:*' }, { scope: 'db:*' }],
    [
      { agentId: agent.id, scope: 'db:read' },
      { agent: agent.number, scope: 'db:read' },
    ],
    [{ lineage: token.record.id }, { root: root.record.id }],
    [{ subject: subjectClaim(principal.shown) }, { principals: [principal.number] }],
    [{ issuer: principal.shown.issuer }, { issuers: [principal.asked.issuer] }],
    [{}, {}],
  ] as const)
  const dryRun = await tested.store.revocations.dryRun({ ...NO_CONDITIONS, ...asked })
  assert.ok(typeof dryRun === 'object')
  const count = model.countEndable({ ...NO_CONDITION, ...conditions }, await storeNow(world))
  assert.deepEqual([dryRun.count, dryRun.isExact], [count, true], JSON.stringify(asked))
}

/** The tree of a token from any of its members: all of it, each once, parents before their children. */
const compareTree = async (world: World): Promise<void> => {
  const { test: tested, model, random } = world
  const member = random.pick(model.tokens)
  const members: LineageRecord[] = []
  let after: Position | null = null
  do {
    const page: Page<LineageRecord> | undefined = await tested.store.ledger.listLineage({
      filters: { memberId: member.record.id },
      audiences: null,
      after,
      limit: random.pick([1, 3, 50, 500]),
    })
    assert.ok(page)
    members.push(...page.records)
    after = page.next
  } while (after !== null)
  const now = await storeNow(world)
  const seen = members.map(one => ('token' in one ? one.token.id : one.id))
  for (const [n, one] of members.entries()) {
    assert.ok('token' in one)
    const known = model.byId.get(one.token.id)
    assert.ok(known)
    assert.deepEqual(one, lifeOf(world, known, now))
    assert.ok(known.parent === null ? n === 0 : seen.slice(0, n).includes(known.parent.record.id))
  }
  assert.deepEqual(
    seen.toSorted(),
    model
      .treeOf(member)
      .map(({ record }) => record.id)
      .toSorted(),
  )
}

/** A path of exchanges down from a new token, now and then with branches. */
const growTree = async (world: World): Promise<void> => {
  const { model, agents, random } = world
  const enabled = agents.filter(({ disabled }) => !disabled)
  if (enabled.length === 0) return
  await issueInWorld(world, random.pick(enabled), [{ lifetimeSeconds: 3600, scope: 'db:read db:write files:read' }])
  const root = model.tokens.at(-1)
  if (root === undefined) return
  for (let n = 0; n < 12; n += 1) {
    const tree = model.tokens.filter(token => token === root || ancestorsOf(token).at(-1) === root)
    await exchangeInWorld(world, random.pick(agents), random.pick(random.chance(0.7) ? tree.slice(-1) : tree))
  }
}

/** More descendants than follow at once, or in a step. */
const growBush = async (world: World): Promise<void> => {
  const { model, agents, random } = world
  await growTree(world)
  for (const times of [random.int(80), random.pick(BUSH)]) {
    const parents = model.tokens.slice(-14).filter(({ parent }) => parent !== null)
    if (parents.length === 0) return
    await exchangeInWorld(world, random.pick(agents), random.pick(parents), times)
    for (let n = 0; n < 3; n += 1)
      await exchangeInWorld(world, random.pick(agents), random.pick(model.tokens.slice(-60)))
  }
}

const revokeParent = async (world: World): Promise<void> => {
  const { model, random } = world
  const parents = model.tokens.flatMap(({ parent }) => (parent === null ? [] : [parent]))
  if (parents.length > 0) await revokeInWorld(world, random.pick(parents), 'manual_revocation')
}

/** So often out of a hundred something of trees or of the background happens, else what happens in the tests of lists. */
const STEPS_OF_TREES: readonly (readonly [number, (world: World) => Promise<unknown>])[] = [
  [15, growTree],
  [5, growBush],
  [12, revokeParent],
  [12, async world => fill(world.test.file, await storeNow(world), 1)],
  [5, async world => world.test.clock.stepWall(-world.random.int(3000))],
]

const takeStep = async (world: World): Promise<void> => {
  let drawn = world.random.int(100)
  for (const [share, step] of STEPS_OF_TREES) {
    drawn -= share
    if (drawn < 0) return void (await step(world))
  }
  await stepWorld(world, SCOPE_ITEMS_MOST)
}

const liveThrough = async (random: Random, follower: StoreFollower): Promise<World> => {
  let world = await makeWorld(random, 4)
  for (let step = 0; step < STEPS; step += 1) {
    await takeStep(world)
    if (step % 10 === 9) {
      await compareLists(world)
      if (world.model.tokens.length > 0) await compareDryRun(world)
    }
    if (random.chance(0.2)) await compareFollower(world, follower)
    if (step % 20 === 19) world = { ...world, test: await world.test.reopen(null) }
  }
  return world
}

test('every token of random trees is what brute force says, before, within and after the background work', () =>
  fc.assert(
    fc.asyncProperty(fc.integer(), async seed => {
      const follower = makeStoreFollower()
      const world = await liveThrough(makeRandom(seed), follower)
      for (const one of [follower, makeStoreFollower()]) await compareFollower(world, one)
      await compareTokens(world)
      await compareLists(world)
      for (let n = 0; n < 5; n += 1) await compareTree(world)
      while ((await fill(world.test.file, await storeNow(world), 3)) === 'more') await compareLists(world)
      assert.equal(openCutOffCount(world.test.file), 0)
      for (let n = 0; n < 5; n += 1) await compareTree(world)
      await compareTokens(world)
      await compareLists(world)
      const reopened = { ...world, test: await world.test.reopen(KEEP_LONG) }
      await compareTokens(reopened)
      await reopened.test.dispose()
    }),
    { numRuns: WORLDS, endOnFailure: true },
  ))
