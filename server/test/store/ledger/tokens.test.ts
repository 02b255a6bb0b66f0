// The ledger's port, one token at a time: written, found, expired, ended.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { type CutOffConditions, NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { makeTokenId } from '../../../src/domain/ledger/claims.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  newTokens,
  NO_HISTORY_FILTERS,
  openTestedStore,
  START,
  testEmbedded,
  type TestAgent,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows, withFile } from '../../../../testkit/stores/store-file.ts'

const REVOKE = act('token.revoke', 'by hand')
const NOBODY: CutOffConditions = { ...NO_CONDITION, audience: 'https://nobody.example' }

const makeWorld = async (t: TestContext): Promise<TestStore & { readonly agent: TestAgent }> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return { ...world, agent: await createAgent(world.store) }
}

const history = async ({ store }: TestStore) =>
  (await store.ledger.listEnded({ filters: NO_HISTORY_FILTERS, audiences: null, after: null, limit: 100 })).records

test('a token that was written is found with its digest and all that its record shows', async t => {
  const { store, agent } = await makeWorld(t)
  const audience = ['https://b.example', 'https://a.example']
  const [token] = await newTokens(store, agent, [{ lifetimeSeconds: 60, scope: 'db:read db:write', audience }])
  assert.ok(token)
  assert.deepEqual(await store.ledger.insert([token]), ['inserted'])
  const [publicJwk] = await store.signingKeys.published()
  assert.ok(publicJwk)
  assert.deepEqual(await store.ledger.find([token]), [
    {
      id: token.id,
      agentId: agent.id,
      clientId: agent.clientId,
      credentialId: agent.credentialId,
      scope: 'db:read db:write',
      audience,
      kid: publicJwk.kid,
      issuedAt: START / 1000,
      expiresAt: START / 1000 + 60,
      subject: { agentId: agent.id },
      actors: [],
      ancestors: [],
      seq: token.seq,
      dead: false,
      digest: token.digest,
      publicJwk,
    },
  ])
})

test('tokens are found in the order asked for, undefined where there is none', async t => {
  const { store, agent } = await makeWorld(t)
  const [a, b] = await issue(store, agent, {}, { lifetimeSeconds: 60 })
  assert.ok(a && b)
  const stranger = { id: makeTokenId(START, randomBytes(10)), lifetimeSeconds: 300 }
  const found = await store.ledger.find([b, stranger, a, { ...a, lifetimeSeconds: 60 }, b])
  assert.deepEqual(
    found.map(token => token?.id),
    [b.id, undefined, a.id, undefined, b.id],
  )
  assert.deepEqual(await store.ledger.find([]), [])
})

test('a token decided on at a number that is no longer the one of the service is not written', async t => {
  const { store, agent, file } = await makeWorld(t)
  const [old] = await newTokens(store, agent, [{}])
  await store.ledger.endAll(NOBODY, 'bulk_revocation', REVOKE)
  const [current] = await newTokens(store, agent, [{ lifetimeSeconds: 77, scope: 'db:write' }])
  assert.ok(old && current)
  const ahead = { ...old, id: makeTokenId(START, randomBytes(10)), seq: current.seq + 1 }
  assert.deepEqual(await store.ledger.insert([old, current, ahead]), ['decide_again', 'inserted', 'decide_again'])
  const [first, second, third] = await store.ledger.find([old, current, ahead])
  assert.deepEqual([first, second?.id, third], [undefined, current.id, undefined])
  assert.equal(countRows(file, 'token'), 1)
})

test('a stale decision is not written either where its lifetime, scope and audience are in use', async t => {
  const { store, agent, file } = await makeWorld(t)
  const [known] = await issue(store, agent, {})
  const [old] = await newTokens(store, agent, [{}])
  await store.ledger.endAll(NOBODY, 'bulk_revocation', REVOKE)
  assert.ok(known && old)
  assert.deepEqual(await store.ledger.insert([old]), ['decide_again'])
  assert.deepEqual(await store.ledger.find([old]), [undefined])
  assert.equal(countRows(file, 'token'), 1)
})

test('a group of which every token must be decided on again leaves no lifetime, scope or audience', async t => {
  const { store, agent, file } = await makeWorld(t)
  const tokens = await newTokens(store, agent, [{ lifetimeSeconds: 77 }, { scope: 'db:write' }])
  await store.ledger.endAll(NOBODY, 'bulk_revocation', REVOKE)
  assert.deepEqual(await store.ledger.insert(tokens), ['decide_again', 'decide_again'])
  for (const table of ['token', 'lifetime', 'scope_set', 'scope_set_item', 'audience_set']) {
    assert.equal(countRows(file, table), 0, table)
  }
})

test('a token lives one millisecond before its expiry and is dead at it and after it', async t => {
  const { store, agent, clock } = await makeWorld(t)
  clock.advance(700) // exp counts from the whole second of the issue
  const tokens = await issue(store, agent, { lifetimeSeconds: 300 })
  const isDead = async () => (await store.ledger.find(tokens)).map(token => token?.dead)
  clock.advance(300_000 - 701)
  assert.deepEqual(await isDead(), [false])
  clock.advance(1)
  assert.deepEqual(await isDead(), [true])
  clock.advance(1)
  assert.deepEqual(await isDead(), [true])
})

test('ending a token moves it into history with its reason, time, actor and note; a second ending changes nothing', async t => {
  const world = await makeWorld(t)
  const { store, agent, clock, file } = world
  const [token] = await issue(store, agent, {})
  assert.ok(token)
  clock.advance(1234)
  assert.equal(await store.ledger.end(token, 'manual_revocation', REVOKE), 'ended')
  clock.advance(1)
  assert.equal(await store.ledger.end(token, 'self_revocation', act('token.revoke')), 'already_ended')
  assert.deepEqual(await store.ledger.find([token]), [undefined])
  assert.deepEqual(
    (await history(world)).map(({ id, endedAt, reason, endedBy, note }) => ({ id, endedAt, reason, endedBy, note })),
    [{ id: token.id, endedAt: START + 1234, reason: 'manual_revocation', endedBy: REVOKE.actor, note: 'by hand' }],
  )
  assert.equal(countRows(file, 'token'), 0)
  assert.equal(countRows(file, `audit where kind = 'token.revoke'`), 1)
})

test('ending a token that never was is unknown and writes nothing', async t => {
  const { store, file } = await makeWorld(t)
  const stranger = { id: makeTokenId(START, randomBytes(10)), lifetimeSeconds: 300 }
  assert.equal(await store.ledger.end(stranger, 'manual_revocation', REVOKE), 'unknown')
  assert.equal(
    countRows(file, 'ended') + countRows(file, 'act') + countRows(file, `audit where kind = 'token.revoke'`),
    0,
  )
})

test('a token can be ended until one millisecond before its expiry; from its expiry on nothing changes', async t => {
  const world = await makeWorld(t)
  const { store, agent, clock, file } = world
  const [early, late] = await issue(store, agent, {}, {})
  assert.ok(early && late)
  clock.advance(299_999)
  assert.equal(await store.ledger.end(early, 'manual_revocation', REVOKE), 'ended')
  clock.advance(1)
  assert.equal(await store.ledger.end(late, 'manual_revocation', REVOKE), 'already_ended')
  assert.deepEqual(
    (await history(world)).map(({ id, reason, endedAt }) => [id, reason, endedAt]),
    [
      [late.id, 'expired', START + 300_000],
      [early.id, 'manual_revocation', START + 299_999],
    ],
  )
  assert.equal(countRows(file, `audit where kind = 'token.revoke'`), 1)
})

test('of 50 callers who end one token exactly one hears ended, and it is recorded once', async t => {
  const { store, agent, file, clock } = await makeWorld(t)
  const other = await openTestedStore({ file, retention: null, clock })
  t.after(other.close)
  const [token] = await issue(store, agent, {})
  assert.ok(token)
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => (n % 2 ? store : other).ledger.end(token, 'manual_revocation', REVOKE)),
  )
  assert.equal(answers.filter(answer => answer === 'ended').length, 1)
  assert.equal(answers.filter(answer => answer === 'already_ended').length, 49)
  assert.equal(countRows(file, 'ended'), 1)
  assert.equal(countRows(file, 'token'), 0)
  assert.equal(countRows(file, `audit where kind = 'token.revoke'`), 1)
})

test('a token of a 17th lifetime is not written, and those of the 16 in use still are', async t => {
  const { store, agent, file } = await makeWorld(t)
  await issue(store, agent, ...Array.from({ length: 16 }, (_, n) => ({ lifetimeSeconds: 100 + n })))
  await assert.rejects(issue(store, agent, { lifetimeSeconds: 50 }), /^Error: no_room$/)
  await issue(store, agent, { lifetimeSeconds: 115 })
  assert.equal(countRows(file, 'token'), 17)
  assert.equal(countRows(file, 'lifetime'), 16)
})

const fillScopeSets = `
  with recursive n(n) as (select 1 union all select n + 1 from n where n < ?)
  insert into scope_set (text, used_day) select 'filler:' || n, 0 from n`

test('a token of a 65,537th scope is not written, and those of a known scope still are', async t => {
  const world = await makeTestStore(null)
  await world.store.close()
  withFile(world.file, db => db.prepare(fillScopeSets).run(65_535))
  const { store, dispose } = await world.reopen(null)
  t.after(dispose)
  const agent = await createAgent(store)
  const beyond = await newTokens(store, agent, [{ scope: 'db:last' }, { scope: 'db:beyond' }])
  assert.deepEqual(await store.ledger.insert(beyond), ['inserted', 'no_room'])
  assert.deepEqual(await store.ledger.exclusively(ledger => ledger.insert(beyond.slice(1))), ['no_room'])
  const [last] = beyond
  assert.ok(last)
  assert.deepEqual(
    (await store.ledger.find([last])).map(token => token?.scope),
    ['db:last'],
  )
  await assert.rejects(issue(store, agent, { scope: 'db:beyond' }), /^Error: no_room$/)
  await issue(store, agent, { scope: 'db:last' })
  assert.equal(countRows(world.file, 'token'), 2)
  assert.equal(countRows(world.file, 'scope_set'), 65_536)
})

test('while the lock is held others wait, and what the holder inserts is not asked to decide again', async t => {
  const { store, agent, file } = await makeWorld(t)
  const stale = await newTokens(store, agent, [{}])
  await store.ledger.endAll(NOBODY, 'bulk_revocation', REVOKE)
  assert.deepEqual(await store.ledger.insert(stale), ['decide_again'])
  const order: string[] = []
  let disabling: Promise<unknown> | undefined
  await store.ledger.exclusively(async ledger => {
    disabling = store.agents.disable(agent.id, act('agent.disable')).then(() => order.push('disabled'))
    const tokens = await newTokens(store, agent, [{}, {}])
    assert.deepEqual(await ledger.insert(tokens), ['inserted', 'inserted'])
    order.push('inserted')
  })
  await disabling
  assert.deepEqual(order, ['inserted', 'disabled'])
  assert.equal(countRows(file, `ended where reason = 4`), 2)
})

testEmbedded(
  'what another process does while acts are paused is seen, and the insert is to be decided again',
  async t => {
    const { store, agent, file } = await makeWorld(t)
    const outcomes = await store.ledger.exclusively(async ledger => {
      const tokens = await newTokens(store, agent, [{}])
      withFile(file, db => db.exec('update service set seq = seq + 1'))
      return ledger.insert(tokens)
    })
    assert.deepEqual(outcomes, ['decide_again'])
    assert.equal(countRows(file, 'token'), 0)
  },
)

test('work that throws under the lock releases it, and its fault is the answer', async t => {
  const { store, agent, file } = await makeWorld(t)
  const fault = new Error(randomUUID())
  await assert.rejects(
    store.ledger.exclusively(() => Promise.reject(fault)),
    fault,
  )
  await issue(store, agent, {})
  assert.equal(countRows(file, 'token'), 1)
})

test('work that inserts nothing under the lock releases it, and its value is the answer', async t => {
  const { store, agent, file } = await makeWorld(t)
  assert.equal(await store.ledger.exclusively(() => Promise.resolve('nothing to do')), 'nothing to do')
  await issue(store, agent, {})
  assert.equal(countRows(file, 'token'), 1)
})

test('a group that fails under the lock is refused with its reason, leaves nothing and releases the lock', async t => {
  const { store, agent, file } = await makeWorld(t)
  const twice = await newTokens(store, agent, [{ scope: 'db:new' }])
  await assert.rejects(
    store.ledger.exclusively(ledger => ledger.insert([...twice, ...twice])),
    /UNIQUE constraint failed|duplicate key/,
  )
  // What was rolled back must not be remembered either: the number of its scope is not in the store.
  const [later] = await issue(store, agent, { scope: 'db:new' })
  assert.ok(later)
  const [found] = await store.ledger.find([later])
  assert.equal(found?.scope, 'db:new')
  assert.equal(countRows(file, 'token'), 1)
})

test('an address of no token of ours is looked up elsewhere and finds nothing, before any was found and after', async t => {
  const { store, agent } = await makeWorld(t)
  const [one, other] = await newTokens(store, agent, [{}, {}])
  assert.ok(one && other)
  assert.deepEqual(await store.ledger.insert([one, other]), ['inserted', 'inserted'])
  assert.deepEqual(await store.ledger.find([undefined]), [undefined])
  const missing = { ...one, id: makeTokenId(START, randomBytes(10)) }
  for (const _ of ['the first time', 'again']) {
    const found = await store.ledger.find([undefined, one, undefined, missing, other, undefined])
    const ids = found.map(token => token?.id)
    assert.deepEqual(ids, [undefined, one.id, undefined, undefined, other.id, undefined])
  }
})
