// The register of DPoP proofs: each gets one token, whatever process writes it, and it is forgotten once it is too old.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import type { NewToken } from '../../../src/ports/ports.ts'
import { forgetProofs } from '../../../src/store/ledger/proofs.ts'
import { until as eventually } from '../../../../testkit/processes/until.ts'
import {
  act,
  createAgent,
  KEEP_LONG,
  makeTestStore,
  newTokens,
  openTestedStore,
  START,
  type TestAgent,
  type TestedStore,
  testEmbedded,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows, inTransaction, withFile, withWritingConnection } from '../../../../testkit/stores/store-file.ts'

const PROOFS_A_STEP = 500

type World = TestStore & { readonly agent: TestAgent }

const makeWorld = async (t: TestContext): Promise<World> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return { ...world, agent: await createAgent(world.store) }
}

const newId = (): string => randomBytes(16).toString('hex')

const until = (world: TestStore): number => world.clock.wall() + 60_000

type Proof = NonNullable<NewToken['proof']>

const tokensWith = async (store: TestedStore, agent: TestAgent, proofs: readonly Proof[]): Promise<NewToken[]> => {
  const tokens = await newTokens(
    store,
    agent,
    proofs.map(() => ({})),
  )
  return tokens.map((token, n) => ({ ...token, ...(proofs[n] !== undefined && { proof: proofs[n] }) }))
}

const insert = async (store: TestedStore, agent: TestAgent, ...proofs: readonly Proof[]) =>
  store.ledger.insert(await tokensWith(store, agent, proofs))

test('a proof gets one token, within one group and in the next, and the others of the group get theirs', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  const [once, other] = [
    { id: newId(), until: until(world) },
    { id: newId(), until: until(world) },
  ]
  assert.deepEqual(await insert(store, agent, once, once, other), ['inserted', 'proof_used', 'inserted'])
  assert.deepEqual(await insert(store, agent, once), ['proof_used'])
  assert.deepEqual([countRows(file, 'token'), countRows(file, 'used_proof')], [2, 2])
})

test('a token without a proof leaves nothing in the register', async t => {
  const { store, agent, file } = await makeWorld(t)
  assert.deepEqual(await store.ledger.insert(await newTokens(store, agent, [{}])), ['inserted'])
  assert.equal(countRows(file, 'used_proof'), 0)
})

test('of two connections that send one proof at the same time one gets a token, round after round', async t => {
  const { store, agent, clock, file } = await makeWorld(t)
  const second = await openTestedStore({ file, retention: null, clock })
  t.after(() => second.close())
  const proofs = Array.from({ length: 25 }, () => ({ id: newId(), until: clock.wall() + 60_000 }))
  const asked = proofs.flatMap(proof => [insert(store, agent, proof), insert(second, agent, proof)])
  const outcomes = (await Promise.all(asked)).flat()
  for (let n = 0; n < outcomes.length; n += 2) {
    assert.deepEqual(
      outcomes
        .slice(n, n + 2)
        .map(String)
        .toSorted(),
      ['inserted', 'proof_used'],
    )
  }
  assert.equal(countRows(file, 'token'), proofs.length)
})

test('a proof that got a token gets none after a restart', async t => {
  const world = await makeWorld(t)
  const proof = { id: newId(), until: until(world) }
  assert.deepEqual(await insert(world.store, world.agent, proof), ['inserted'])
  const again = await world.reopen(KEEP_LONG)
  t.after(again.dispose)
  assert.deepEqual(await insert(again.store, world.agent, proof), ['proof_used'])
})

test('what is decided again, finds no room or fails has used no proof up', async t => {
  const world = await makeWorld(t)
  const { store, agent } = world
  const proof = { id: newId(), until: until(world) }
  const stale = await tokensWith(store, agent, [proof])
  await store.agents.disable(agent.id, act('agent.disable'))
  await store.agents.enable(agent.id, act('agent.enable'))
  assert.deepEqual(await store.ledger.insert(stale), ['decide_again'])
  const lifetimes = Array.from({ length: 16 }, (_, n) => ({ lifetimeSeconds: n + 101 }))
  await store.ledger.insert(await newTokens(store, agent, lifetimes))
  const [seventeenth] = await tokensWith(store, agent, [proof])
  assert.ok(seventeenth)
  assert.deepEqual(await store.ledger.insert([{ ...seventeenth, lifetimeSeconds: 117 }]), ['no_room'])
  const [first] = await newTokens(store, agent, [{ lifetimeSeconds: 101 }])
  assert.ok(first)
  assert.deepEqual(await store.ledger.insert([first]), ['inserted'])
  // A token of this id is there already.
  await assert.rejects(store.ledger.insert([{ ...first, proof }]), /UNIQUE|duplicate key/)
  const [next] = await newTokens(store, agent, [{ lifetimeSeconds: 101 }])
  assert.ok(next)
  assert.deepEqual(await store.ledger.insert([{ ...next, proof }]), ['inserted'])
})

test('under the lock of the store a proof gets one token too', async t => {
  const world = await makeWorld(t)
  const { store, agent } = world
  const proof = { id: newId(), until: until(world) }
  const tokens = await tokensWith(store, agent, [proof, proof])
  assert.deepEqual(await store.ledger.exclusively(ledger => ledger.insert(tokens)), ['inserted', 'proof_used'])
})

/** Runs steps to the end; how many it took. */
const forgetAll = (world: TestStore): number => {
  const step = () => withWritingConnection(world, connection => inTransaction(connection, forgetProofs))
  let steps = 1
  while (step() === 'more') steps += 1
  return steps
}

test('a proof is taken and remembered to its last millisecond, then late, and only then forgotten', async t => {
  const world = await makeWorld(t)
  const { store, agent, clock, file } = world
  const [kept, late] = [
    { id: newId(), until: START + 60_000 },
    { id: newId(), until: START + 60_000 },
  ]
  assert.deepEqual(await insert(store, agent, kept), ['inserted'])
  clock.advance(START + 60_000 - clock.wall())
  forgetAll(world)
  assert.deepEqual(await insert(store, agent, kept), ['proof_used'])
  assert.equal(countRows(file, 'used_proof'), 1)
  clock.advance(1)
  assert.deepEqual(await insert(store, agent, kept, late), ['proof_late', 'proof_late'])
  forgetAll(world)
  assert.equal(countRows(file, 'used_proof'), 0)
  assert.deepEqual(await insert(store, agent, kept), ['proof_late'])
})

test('a clock that steps back brings no proof back', async t => {
  const world = await makeWorld(t)
  const { store, agent, clock } = world
  const proof = { id: newId(), until: until(world) }
  assert.deepEqual(await insert(store, agent, proof), ['inserted'])
  clock.advance(60_001)
  forgetAll(world)
  clock.stepWall(-60_001)
  assert.deepEqual(await insert(store, agent, proof), ['proof_late'])
})

const fillWith = (file: string, count: number, at: number): void =>
  withFile(file, db => {
    const put = db.prepare('insert into used_proof (id, until) values (?, ?)')
    db.transaction(() => {
      for (let n = 0; n < count; n += 1) put.run(randomBytes(16), at)
    })
  })

test('proofs are forgotten in steps of a bounded number of rows, and none that still counts', async t => {
  const world = await makeWorld(t)
  fillWith(world.file, 2 * PROOFS_A_STEP + 1, START - 1)
  fillWith(world.file, 7, START + 600_000)
  assert.equal(forgetAll(world), 3)
  assert.equal(countRows(world.file, 'used_proof'), 7)
})

testEmbedded('proofs are forgotten by the index of their time', async t => {
  const world = await makeWorld(t)
  const plan = withFile(world.file, db =>
    db.prepare('explain query plan select id from used_proof where until < ? order by until limit 500').all(0),
  )
  assert.match(JSON.stringify(plan), /SEARCH used_proof USING COVERING INDEX used_proof_until/)
  assert.doesNotMatch(JSON.stringify(plan), /TEMP B-TREE/)
})

test('a service forgets them by itself', { timeout: 300_000 }, async t => {
  const world = await makeWorld(t)
  fillWith(world.file, 3 * PROOFS_A_STEP, START - 1)
  fillWith(world.file, 1, START + 600_000)
  const serving = await world.reopen(KEEP_LONG)
  t.after(serving.dispose)
  await eventually('one proof is left', async () => countRows(world.file, 'used_proof') <= 1)
})

test('an assertion is used once, for a token or for something else, by any connection and after a restart', async t => {
  const world = await makeWorld(t)
  const { store, agent, clock, file } = world
  const second = await openTestedStore({ file, retention: null, clock })
  t.after(() => second.close())
  const [one, two] = [
    { id: newId(), until: until(world) },
    { id: newId(), until: until(world) },
  ]
  const insertWith = async (through: TestedStore, assertion: Proof) => {
    const [token] = await newTokens(through, agent, [{}])
    assert.ok(token !== undefined)
    return through.ledger.insert([{ ...token, assertion }])
  }
  const uses = await Promise.all([store, second].map(through => through.credentials.useAssertion(one)))
  assert.deepEqual(uses.toSorted(), ['first_use', 'used'])
  assert.deepEqual(await insertWith(second, one), ['assertion_used'])
  assert.deepEqual(await insertWith(store, two), ['inserted'])
  assert.equal(await second.credentials.useAssertion(two), 'used')
  assert.deepEqual(await insertWith(store, { id: newId(), until: clock.wall() - 1 }), ['assertion_used'])
  assert.equal(await store.credentials.useAssertion({ id: newId(), until: clock.wall() - 1 }), 'used')
  const restarted = await openTestedStore({ file, retention: null, clock })
  t.after(() => restarted.close())
  for (const used of [one, two]) assert.equal(await restarted.credentials.useAssertion(used), 'used')
  assert.equal(countRows(file, 'token'), 1)
})

test('of a token with an assertion and a DPoP proof neither is used up where the other was used before', async t => {
  const world = await makeWorld(t)
  const { store, agent, file } = world
  const fresh = () => ({ id: newId(), until: until(world) })
  const [assertion, proof] = [fresh(), fresh()]
  const tokens = await newTokens(store, agent, [{}, {}, {}])
  const [first, second, third] = tokens
  assert.ok(first !== undefined && second !== undefined && third !== undefined)
  const outcomes = await store.ledger.insert([
    { ...first, assertion, proof },
    { ...second, assertion, proof: fresh() },
    { ...third, assertion: fresh(), proof },
  ])
  assert.deepEqual(outcomes, ['inserted', 'assertion_used', 'proof_used'])
  assert.deepEqual([countRows(file, 'token'), countRows(file, 'used_proof')], [1, 2])
})
