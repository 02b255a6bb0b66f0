// Acts on signing keys at the port: which key signs, which are published, and what a change of either ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  act,
  createAgent,
  issue,
  KEEP_LONG,
  makeTestStore,
  newTokens,
  someSigningKey,
  START,
} from '../../../../testkit/stores/store.ts'
import {
  addNext,
  change,
  currentKid,
  makeKeyWorld,
  publishedKids,
  READY_MS,
  statesOf,
} from '../../../../testkit/stores/key-world.ts'
import { countRows, readRow, readRows } from '../../../../testkit/stores/store-file.ts'

const ROTATE = act('signing_key.rotate')
const CREATE = act('signing_key.create')
const RETIRE = act('signing_key.retire')
const IMPORT = act('signing_key.import')
const NEVER = { candidate: null, force: false } as const
const FORCED = { candidate: null, force: true } as const

test('of 50 callers in two processes who add a next key exactly one does', async t => {
  const { store, elsewhere, file } = await makeKeyWorld(t)
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, n) => (n % 2 ? store : elsewhere).signingKeys.createNext(someSigningKey(), CREATE)),
  )
  assert.equal(outcomes.filter(outcome => outcome === 'created').length, 1)
  assert.deepEqual(statesOf(file), ['current', 'next'])
  assert.equal(countRows(file, `audit where kind = 'signing_key.create'`), 2)
})

test('a next key is published behind the current one and does not sign', async t => {
  const world = await makeKeyWorld(t)
  const before = await currentKid(world.store)
  const next = await addNext(world)
  assert.deepEqual(await publishedKids(world.elsewhere), [before, next])
  assert.equal(await currentKid(world.elsewhere), before)
})

test('a rotation lets the next key sign in every process, and keeps the old one published without its private half', async t => {
  const world = await makeKeyWorld(t)
  const old = await currentKid(world.elsewhere)
  const next = await addNext(world)
  world.clock.advance(5)
  const { key, current, unknownUntil } = change(await world.store.signingKeys.rotate(NEVER, ROTATE))
  assert.deepEqual([key.publicJwk.kid, current.publicJwk.kid, unknownUntil], [next, next, null])
  assert.equal(await currentKid(world.elsewhere), next)
  assert.deepEqual(await publishedKids(world.elsewhere), [next, old])
  const row = readRow(
    world.file,
    'select state, signs_until, length(sealed_private_key) as sealed from signing_key where kid = ?',
    old,
  )
  assert.deepEqual(row, { state: 'retained', signs_until: START + 5, sealed: 0 })
  assert.equal(key.signsFrom, START + 5)
})

test('a token decided on under the old key is not written after a rotation', async t => {
  const world = await makeKeyWorld(t)
  const agent = await createAgent(world.store)
  await addNext(world)
  const decided = await newTokens(world.store, agent, [{}])
  await world.elsewhere.signingKeys.rotate(NEVER, ROTATE)
  assert.deepEqual(await world.store.ledger.insert(decided), ['decide_again'])
})

test('a rotation without a next key says so, and with a candidate publishes it and waits', async t => {
  const { store, file } = await makeKeyWorld(t)
  assert.equal(await store.signingKeys.rotate(NEVER, ROTATE), 'no_next')
  const candidate = someSigningKey()
  const { key, current } = change(await store.signingKeys.rotate({ candidate, force: false }, ROTATE))
  assert.deepEqual([key.publicJwk.kid, key.state, key.wanted], [candidate.publicJwk.kid, 'next', true])
  assert.notEqual(current.publicJwk.kid, key.publicJwk.kid)
  assert.deepEqual(statesOf(file), ['current', 'next'])
  const before = countRows(file, 'audit')
  await store.signingKeys.rotate({ candidate: someSigningKey(), force: false }, ROTATE)
  assert.equal(countRows(file, 'audit'), before, 'Asked for twice, it is noted once.')
})

test('a key one millisecond short of its time waits, and a forced one says until when verifiers may not know it', async t => {
  const world = await makeKeyWorld(t)
  const next = await addNext(world, READY_MS - 1)
  assert.equal(change(await world.store.signingKeys.rotate(NEVER, ROTATE)).key.state, 'next')
  const { key, unknownUntil } = change(await world.store.signingKeys.rotate(FORCED, ROTATE))
  assert.deepEqual([key.publicJwk.kid, key.state, unknownUntil], [next, 'current', START + 1])
  assert.equal(key.wanted, false)
})

test('of 50 callers in two processes who rotate one rotates, and the others wait for a key that follows', async t => {
  const world = await makeKeyWorld(t)
  const next = await addNext(world)
  const rotations = Array.from({ length: 50 }, (_, n) =>
    (n % 2 ? world.store : world.elsewhere).signingKeys.rotate({ candidate: someSigningKey(), force: false }, ROTATE),
  )
  const current = (await Promise.all(rotations)).map(outcome => change(outcome).current.publicJwk.kid)
  assert.deepEqual([...new Set(current)], [next])
  assert.deepEqual(statesOf(world.file), ['retained', 'current', 'next'])
})

test('a repeated Idempotency-Key does not rotate twice', async t => {
  const world = await makeKeyWorld(t)
  const next = await addNext(world)
  const once = { ...ROTATE, idempotencyKey: 'once' }
  await world.store.signingKeys.rotate(FORCED, once)
  const again = await world.store.signingKeys.rotate({ candidate: someSigningKey(), force: true }, once)
  assert.deepEqual(again, { existing: next, by: 'signing_key.rotate' })
  assert.deepEqual(statesOf(world.file), ['retained', 'current'])
})

test('retiring the current key rotates, retiring the next one takes it from the key set, and others stay', async t => {
  const world = await makeKeyWorld(t)
  const { signingKeys } = world.store
  const first = await currentKid(world.store)
  assert.equal(await signingKeys.retire({ kid: first, ...NEVER }, RETIRE), 'no_next')
  assert.equal(await signingKeys.retire({ kid: 'nobody', ...NEVER }, RETIRE), 'unknown')
  const next = await addNext(world)
  const retired = change(await signingKeys.retire({ kid: first, ...NEVER }, RETIRE))
  assert.deepEqual([retired.key.state, retired.current.publicJwk.kid], ['retained', next])
  const spare = await addNext(world)
  assert.equal(change(await signingKeys.retire({ kid: spare, ...NEVER }, RETIRE)).key.state, 'gone')
  assert.deepEqual(await publishedKids(world.store), [next, first])
  const before = countRows(world.file, 'audit')
  for (const kid of [first, spare]) await signingKeys.retire({ kid, ...NEVER }, RETIRE)
  assert.equal(countRows(world.file, 'audit'), before)
})

test('nothing of a private key, sealed or not, is in the audit', async t => {
  const world = await makeKeyWorld(t)
  const key = someSigningKey()
  await world.store.signingKeys.import(key, IMPORT)
  const text = readRows(world.file, 'select detail from audit')
    .map(({ detail }) => String(detail))
    .join('\n')
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    assert.ok(!text.includes(Buffer.from(key.sealedPrivateKey).toString(encoding)))
  }
  assert.ok(text.includes(key.publicJwk.kid))
})

test('keys are listed newest first, a page at a time, and shown by their kid', async t => {
  const world = await makeKeyWorld(t)
  const { signingKeys } = world.store
  const first = await currentKid(world.store)
  const second = await addNext(world)
  await signingKeys.rotate(NEVER, ROTATE)
  const third = await addNext(world)
  const whole = await signingKeys.list(null, 10)
  assert.deepEqual(
    whole.keys.map(({ publicJwk }) => publicJwk.kid),
    [third, second, first],
  )
  const [, newer] = whole.keys
  const rest = await signingKeys.list(newer?.number ?? 0, 10)
  assert.deepEqual(
    rest.keys.map(({ publicJwk }) => publicJwk.kid),
    [first],
  )
  assert.equal((await signingKeys.list(null, 2)).keys.length, 2)
  const shown = await signingKeys.show(second)
  assert.deepEqual([shown.keys.map(({ state }) => state), shown.now, shown.longest], [['current'], START, 0])
  await createAgent(world.store, 3600)
  assert.deepEqual(await signingKeys.show('nobody'), { keys: [], now: START, longest: 3600 })
})

test('the longest lifetime is that of any token that is there, whatever it is for', async t => {
  const { store, dispose } = await makeTestStore(null)
  t.after(dispose)
  const longest = async (): Promise<number> => (await store.signingKeys.list(null, 1)).longest
  const agent = await createAgent(store)
  for (const lifetimeSeconds of [15, 900, 1000, 3600]) {
    await issue(store, agent, { lifetimeSeconds })
    assert.equal(await longest(), lifetimeSeconds)
  }
})

test('all of it is there after a restart', async t => {
  const world = await makeTestStore(null)
  const next = await addNext(world)
  await world.store.signingKeys.rotate(NEVER, ROTATE)
  const again = await world.reopen(KEEP_LONG)
  t.after(again.dispose)
  assert.equal(await currentKid(again.store), next)
  assert.equal((await publishedKids(again.store)).length, 2)
})
