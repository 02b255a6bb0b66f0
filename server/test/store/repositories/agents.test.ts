// The register of agents: what it keeps, how it pages, and how soon a change made elsewhere is seen.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { BLANK_SETTINGS } from '../../../src/domain/clients/change-agent.ts'
import type { NewAgent } from '../../../src/ports/ports.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  newTokens,
  openTestedStore,
  START,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows, readNumber } from '../../../../testkit/stores/store-file.ts'

const CREATE = act('agent.create')
const DISABLE = act('agent.disable')
const ENABLE = act('agent.enable')

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

const makeAgent = (changes: Partial<NewAgent> = {}): NewAgent => ({
  ...BLANK_SETTINGS,
  id: randomUUID(),
  clientId: randomUUID(),
  name: randomUUID(),
  scopes: ['db:*', 'log:write'],
  defaultScope: ['db:read'],
  resources: ['https://api.example'],
  defaultAudience: 'https://api.example',
  lifetimeSeconds: 120,
  credential: { id: randomUUID(), secretHash: randomBytes(32).toString('hex') },
  ...changes,
})

/** The same store as another process has it open. */
const openElsewhere = async (t: TestContext, { file, clock }: TestStore) => {
  const store = await openTestedStore({ file, retention: null, clock })
  t.after(store.close)
  return store
}

const seqOf = ({ file }: TestStore): number => readNumber(file, 'select seq from service')

test('an agent that was created is shown as given, not disabled, with the time of the store', async t => {
  const { store } = await makeWorld(t)
  const given = makeAgent()
  const sparse = makeAgent({ defaultScope: null, defaultAudience: null, lifetimeSeconds: null, resources: [] })
  for (const agent of [given, sparse]) {
    const { credential: _, ...shown } = agent
    const expected = { ...shown, managedBy: null, disabledAt: null, suspendedAt: null, createdAt: START }
    assert.deepEqual(await store.agents.create(agent, CREATE), expected)
    assert.deepEqual(await store.agents.show(agent.id), expected)
  }
})

test('the view for issue holds each client asked for in order, its credentials, and undefined for an unknown one', async t => {
  const { store } = await makeWorld(t)
  const [a, b] = [makeAgent(), makeAgent()]
  for (const agent of [a, b]) await store.agents.create(agent, CREATE)
  const [key] = await store.signingKeys.sealed()
  const view = await store.agents.viewForIssue([b.clientId, 'nobody', a.clientId], 'fresh')
  assert.deepEqual([view.now, view.signingKey], [START, key])
  assert.deepEqual(
    view.clients.map(client => client?.agent.id),
    [b.id, undefined, a.id],
  )
  assert.deepEqual(
    view.clients.map(client => client?.credentials.map(({ id, secretHash }) => [id, secretHash])),
    [[[b.credential.id, b.credential.secretHash]], undefined, [[a.credential.id, a.credential.secretHash]]],
  )
})

test('a second agent of the same name is refused and leaves nothing', async t => {
  const { store, file } = await makeWorld(t)
  await store.agents.create(makeAgent({ name: 'twin' }), CREATE)
  const second = makeAgent({ name: 'twin' })
  assert.equal(await store.agents.create(second, CREATE), 'name_taken')
  assert.equal(await store.agents.show(second.id), undefined)
  assert.deepEqual([countRows(file, 'agent'), countRows(file, 'credential')], [1, 1])
})

test('of 50 callers who create an agent of one name exactly one succeeds', async t => {
  const { store, file } = await makeWorld(t)
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, () => store.agents.create(makeAgent({ name: 'one' }), CREATE)),
  )
  assert.equal(outcomes.filter(outcome => outcome === 'name_taken').length, 49)
  assert.equal(countRows(file, 'agent'), 1)
})

test('an agent whose lifetime would be the 17th in use is refused; one of the 16 or without its own is not', async t => {
  const { store } = await makeWorld(t)
  const create = (lifetimeSeconds: number | null) => store.agents.create(makeAgent({ lifetimeSeconds }), CREATE)
  for (let n = 0; n < 15; n += 1) assert.notEqual(await create(100 + n), 'lifetimes_full')
  const plain = await createAgent(store)
  await issue(store, plain, { lifetimeSeconds: 300 }) // in use by a token alone
  assert.equal(await create(200), 'lifetimes_full')
  assert.notEqual(await create(300), 'lifetimes_full')
  assert.notEqual(await create(114), 'lifetimes_full')
  assert.notEqual(await create(null), 'lifetimes_full')
})

test('an agent unknown to the store is not shown, disabled or enabled, and no number is taken', async t => {
  const world = await makeWorld(t)
  const { agents } = world.store
  const before = seqOf(world)
  assert.equal(await agents.show(randomUUID()), undefined)
  assert.equal(await agents.disable(randomUUID(), DISABLE), undefined)
  assert.equal(await agents.enable(randomUUID(), ENABLE), undefined)
  assert.equal(seqOf(world), before)
})

test('disabling an agent shows since when; disabling it again changes nothing; enabling it clears it', async t => {
  const world = await makeWorld(t)
  const { store, clock } = world
  const { id } = await createAgent(store)
  clock.advance(50)
  const switched = async (verb: 'disable' | 'enable') => {
    const { disabledAt, changed } = (await store.agents[verb](id, verb === 'disable' ? DISABLE : ENABLE)) ?? {}
    return [disabledAt, changed]
  }
  assert.deepEqual(await switched('disable'), [START + 50, true])
  const once = seqOf(world)
  clock.advance(50)
  assert.deepEqual(await switched('disable'), [START + 50, false])
  assert.equal(seqOf(world), once)
  assert.equal((await store.agents.show(id))?.disabledAt, START + 50)
  assert.deepEqual(await switched('enable'), [null, true])
  assert.deepEqual(await switched('enable'), [null, false])
  assert.equal((await store.agents.show(id))?.disabledAt, null)
  assert.equal(seqOf(world), once, 'enabling takes no number')
})

test('what is remembered of an agent is not used once it was disabled in another process', async t => {
  const world = await makeWorld(t)
  const { store } = world
  const elsewhere = await openElsewhere(t, world)
  const agent = await createAgent(store)
  const disabledAt = async () =>
    (await store.agents.viewForIssue([agent.clientId], 'cached')).clients.map(client => client?.agent.disabledAt)
  assert.deepEqual(await disabledAt(), [null])
  const raced = await newTokens(store, agent, [{}])
  const disabled = await elsewhere.agents.disable(agent.id, DISABLE)
  assert.ok(disabled)
  assert.deepEqual(await disabledAt(), [disabled.disabledAt])
  assert.deepEqual(await store.ledger.insert(raced), ['decide_again'])
})

test('a refusal is not remembered: an agent enabled or created in another process is seen at once, asked for fresh', async t => {
  const world = await makeWorld(t)
  const { store } = world
  const elsewhere = await openElsewhere(t, world)
  const agent = makeAgent()
  const find = async (freshness: 'cached' | 'fresh') =>
    (await store.agents.viewForIssue([agent.clientId], freshness)).clients.map(client => client?.agent.disabledAt)
  assert.deepEqual(await find('cached'), [undefined])
  await elsewhere.agents.create(agent, CREATE)
  assert.deepEqual(await find('cached'), [null])
  const disabled = await elsewhere.agents.disable(agent.id, DISABLE)
  assert.ok(disabled)
  assert.deepEqual(await find('cached'), [disabled.disabledAt])
  await elsewhere.agents.enable(agent.id, ENABLE)
  assert.deepEqual(await find('fresh'), [null])
})

test('of two processes that disable one agent at once both hear when it was disabled, and one number is taken', async t => {
  const world = await makeWorld(t)
  const elsewhere = await openElsewhere(t, world)
  const { id } = await createAgent(world.store)
  const before = seqOf(world)
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => (n % 2 ? world.store : elsewhere).agents.disable(id, DISABLE)),
  )
  const shown = await world.store.agents.show(id)
  assert.ok(shown?.disabledAt)
  assert.deepEqual([...new Set(answers.map(agent => agent?.disabledAt))], [shown.disabledAt])
  assert.equal(seqOf(world), before + 1)
})
