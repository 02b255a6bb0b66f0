// The register of credentials: several live at once, each refused from its end on, by every process.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { CREDENTIALS_MAX } from '../../../src/domain/clients/credential.ts'
import { isExisting, type AlreadyExists } from '../../../src/domain/idempotency.ts'
import type { CredentialProblem, NewCredential, SubjectTaken } from '../../../src/ports/secret-repositories.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  newTokens,
  NO_NAME_FILTERS,
  openTestedStore,
  START,
  type TestAgent,
  type TestedStore,
  testEmbedded,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { countRows, readNumber, readRows } from '../../../../testkit/stores/store-file.ts'
import { planOf } from '../lists/list-plans.ts'

const CREATE = act('credential.create')
const ROTATE = act('credential.rotate')
const REVOKE = act('credential.revoke')

type World = TestStore & { readonly agent: TestAgent }

const makeWorld = async (t: TestContext): Promise<World> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return { ...world, agent: await createAgent(world.store) }
}

const newCredential = (changes: Partial<NewCredential> = {}): NewCredential => ({
  id: randomUUID(),
  name: 'second',
  secretHash: randomBytes(32).toString('hex'),
  expiry: null,
  ...changes,
})

const taken = <T extends object>(answer: T | AlreadyExists | SubjectTaken | string): T => {
  if (typeof answer === 'string') throw new Error(answer)
  assert.ok(!isExisting(answer) && !('taken' in answer))
  return answer
}

const usable = async (store: TestedStore, agent: TestAgent): Promise<readonly (string | undefined)[]> => {
  const { clients } = await store.agents.viewForIssue([agent.clientId], 'cached')
  return clients[0]?.credentials.map(({ id }) => id) ?? []
}

const revocationOf = (agent: TestAgent, changes: { keepTokens?: boolean; id?: string } = {}) => ({
  agentId: agent.id,
  id: agent.credentialId,
  reason: 'credential_revoked' as const,
  keepTokens: false,
  ...changes,
})

test('a credential that was created is shown as given, with the time of the store and no tokens', async t => {
  const { store, agent } = await makeWorld(t)
  const credential = newCredential({ expiry: { afterMs: 5000 } })
  const expected = {
    id: credential.id,
    agentId: agent.id,
    name: 'second',
    trust: null,
    createdAt: START,
    expiresAt: START + 5000,
    lastUsedAt: null,
    revokedAt: null,
    suspendedAt: null,
    managedBy: null,
  }
  assert.deepEqual(await store.credentials.create(agent.id, credential, CREATE), expected)
  const shown = await store.credentials.show(agent.id, credential.id, null)
  assert.deepEqual(shown, { ...expected, liveTokens: { count: 0, isExact: true } })
  assert.equal(await store.credentials.show((await createAgent(store)).id, credential.id, null), undefined)
})

test('creating one takes no number; what is remembered of the agent still finds it when read anew', async t => {
  const { store, agent, file } = await makeWorld(t)
  await usable(store, agent)
  const seq = readNumber(file, 'select seq from service')
  const credential = newCredential()
  await store.credentials.create(agent.id, credential, CREATE)
  assert.equal(readNumber(file, 'select seq from service'), seq)
  const { clients } = await store.agents.viewForIssue([agent.clientId], 'fresh')
  assert.deepEqual(
    clients[0]?.credentials.map(({ id }) => id),
    [agent.credentialId, credential.id],
  )
})

test(`an agent has at most ${CREDENTIALS_MAX} live credentials; one that is revoked or expires makes room`, async t => {
  const { store, agent, clock } = await makeWorld(t)
  const create = async (changes?: Partial<NewCredential>) => {
    const created = await store.credentials.create(agent.id, newCredential(changes), CREATE)
    return typeof created === 'string' ? created : 'created'
  }
  assert.equal(await create({ expiry: { afterMs: 1000 } }), 'created')
  for (let n = 2; n < CREDENTIALS_MAX; n += 1) assert.equal(await create(), 'created')
  assert.equal(await create(), 'too_many')
  clock.advance(999)
  assert.equal(await create(), 'too_many')
  clock.advance(1)
  assert.equal(await create(), 'created')
  assert.equal(await create(), 'too_many')
  await store.credentials.revoke(revocationOf(agent), REVOKE)
  assert.equal(await create(), 'created')
})

test('of twenty callers who create a credential at once as many do as there is room', async t => {
  const { store, agent } = await makeWorld(t)
  const callers = Array.from({ length: 20 }, () => store.credentials.create(agent.id, newCredential(), CREATE))
  const answers = await Promise.all(callers)
  assert.equal(answers.filter(answer => typeof answer === 'object').length, CREDENTIALS_MAX - 1)
})

test('an expiry that is not in the future, or an agent that is not there, makes no credential', async t => {
  const { store, agent, file } = await makeWorld(t)
  const before = countRows(file, 'credential')
  const create = (agentId: string, expiry: NewCredential['expiry']): Promise<object | CredentialProblem> =>
    store.credentials.create(agentId, newCredential({ expiry }), CREATE)
  assert.equal(await create(agent.id, { at: START }), 'expired')
  assert.equal(await create(agent.id, { afterMs: 0 }), 'expired')
  assert.equal(await create(randomUUID(), null), 'unknown')
  assert.equal(countRows(file, 'credential'), before)
  assert.equal(typeof (await create(agent.id, { at: START + 1 })), 'object')
})

test('an API key that was revoked meanwhile makes no credential, and rotates none', async t => {
  const { store, agent } = await makeWorld(t)
  const by = (create: typeof CREATE, id: string) => ({ ...create, actor: { type: 'api_key', id } as const })
  const keyHash = randomBytes(32).toString('hex')
  const apiKey = { id: randomUUID(), name: 'key', permissions: [], audiences: null, keyHash, expiry: null }
  await store.apiKeys.create(apiKey, act('api_key.create'))
  const create = () => store.credentials.create(agent.id, newCredential(), by(CREATE, apiKey.id))
  assert.equal(typeof (await create()), 'object')
  await store.apiKeys.revoke(apiKey.id, act('api_key.revoke'))
  assert.equal(await create(), 'caller_ended')
  const rotation = { id: agent.credentialId, graceMs: 0, replacement: newCredential() }
  assert.equal(await store.credentials.rotate(agent.id, rotation, by(ROTATE, apiKey.id)), 'caller_ended')
  assert.equal((await store.credentials.show(agent.id, agent.credentialId, null))?.expiresAt, null)
})

test('a rotation makes another of the same name and shortens the life of the old one, never lengthens it', async t => {
  const { store, agent, clock } = await makeWorld(t)
  const old = taken(await store.credentials.create(agent.id, newCredential({ expiry: { at: START + 50_000 } }), CREATE))
  const rotate = (graceMs: number) =>
    store.credentials.rotate(agent.id, { id: old.id, graceMs, replacement: newCredential() }, ROTATE)
  const { replacement, replaced } = taken(await rotate(60_000))
  assert.deepEqual([replacement.name, replacement.expiresAt], ['second', null])
  assert.equal(replaced.expiresAt, START + 50_000)
  assert.equal(taken(await rotate(20_000)).replaced.expiresAt, START + 20_000)
  clock.advance(20_000)
  assert.equal(await rotate(0), 'not_live')
})

test('of twenty callers who rotate a credential without grace one does', async t => {
  const { store, agent } = await makeWorld(t)
  const callers = Array.from({ length: 20 }, () => {
    const rotation = { id: agent.credentialId, graceMs: 0, replacement: newCredential() }
    return store.credentials.rotate(agent.id, rotation, ROTATE)
  })
  const answers = await Promise.all(callers)
  assert.equal(answers.filter(answer => typeof answer === 'object').length, 1)
  assert.equal(answers.filter(answer => answer === 'not_live').length, 19)
})

test('a rotation that would be one live credential too many changes nothing; without grace there is room', async t => {
  const { store, agent } = await makeWorld(t)
  for (let n = 1; n < CREDENTIALS_MAX; n += 1) await store.credentials.create(agent.id, newCredential(), CREATE)
  const rotate = (graceMs: number) =>
    store.credentials.rotate(agent.id, { id: agent.credentialId, graceMs, replacement: newCredential() }, ROTATE)
  assert.equal(await rotate(1), 'too_many')
  assert.equal((await store.credentials.show(agent.id, agent.credentialId, null))?.expiresAt, null)
  assert.equal(taken(await rotate(0)).replaced.expiresAt, START)
})

test('what is remembered of an agent is not used once a credential of it was revoked or rotated in another process', async t => {
  const { store, agent, file, clock } = await makeWorld(t)
  const elsewhere = await openTestedStore({ file, retention: null, clock })
  t.after(elsewhere.close)
  const second = taken(await store.credentials.create(agent.id, newCredential(), CREATE))
  assert.deepEqual(await usable(store, agent), [agent.credentialId, second.id])
  await elsewhere.credentials.revoke(revocationOf(agent, { keepTokens: true }), REVOKE)
  assert.deepEqual(await usable(store, agent), [second.id])
  const rotation = { id: second.id, graceMs: 1000, replacement: newCredential() }
  await elsewhere.credentials.rotate(agent.id, rotation, ROTATE)
  const { clients } = await store.agents.viewForIssue([agent.clientId], 'cached')
  const expiries = clients[0]?.credentials.map(({ expiresAt }) => expiresAt)
  assert.deepEqual(expiries, [null, START + 1000])
})

test('revoking ends the tokens that it got and no others, once; doing it again changes nothing', async t => {
  const { store, agent, file, clock } = await makeWorld(t)
  const [own] = await issue(store, agent, {})
  await store.credentials.create(agent.id, newCredential(), CREATE)
  const [others] = await issue(store, await createAgent(store), {})
  assert.ok(own && others)
  clock.advance(7)
  assert.equal((await store.credentials.revoke(revocationOf(agent), REVOKE))?.revokedAt, START + 7)
  const [dead, alive] = await store.ledger.find([own, others])
  assert.equal(dead, undefined)
  assert.equal(alive?.dead, false)
  const content = () => readRows(file, 'select c.*, s.seq from credential c cross join service s')
  const before = content()
  clock.advance(7)
  assert.equal((await store.credentials.revoke(revocationOf(agent), REVOKE))?.revokedAt, START + 7)
  assert.deepEqual(content(), before)
  assert.equal(await store.credentials.revoke(revocationOf(agent, { id: randomUUID() }), REVOKE), undefined)
})

test('tokens that a revocation kept live on until a second one ends them', async t => {
  const { store, agent } = await makeWorld(t)
  const [token] = await issue(store, agent, {})
  assert.ok(token)
  await store.credentials.revoke(revocationOf(agent, { keepTokens: true }), REVOKE)
  assert.deepEqual(await usable(store, agent), [])
  assert.equal((await store.ledger.find([token]))[0]?.dead, false)
  await store.credentials.revoke(revocationOf(agent), REVOKE)
  assert.equal((await store.ledger.find([token]))[0], undefined)
})

test('a token that was decided on before its credential was rotated or revoked is decided on again', async t => {
  const { store, agent } = await makeWorld(t)
  const first = await newTokens(store, agent, [{}])
  await store.credentials.rotate(agent.id, { id: agent.credentialId, graceMs: 5, replacement: newCredential() }, ROTATE)
  assert.deepEqual(await store.ledger.insert(first), ['decide_again'])
  const second = await newTokens(store, agent, [{}])
  await store.credentials.revoke(revocationOf(agent, { keepTokens: true }), REVOKE)
  assert.deepEqual(await store.ledger.insert(second), ['decide_again'])
})

test('a revoked credential stays so when the store is opened anew', async t => {
  const world = await makeWorld(t)
  await world.store.credentials.revoke(revocationOf(world.agent), REVOKE)
  const { store } = await world.reopen(null)
  t.after(store.close)
  assert.deepEqual(await usable(store, world.agent), [])
  assert.equal((await store.credentials.show(world.agent.id, world.agent.credentialId, null))?.revokedAt, START)
})

test('a credential that a view shows expired stays so after a restart with a clock that stepped back', async t => {
  const first = await makeTestStore(null)
  const agent = await createAgent(first.store)
  const expiresAt = START + 5000
  await first.store.credentials.create(agent.id, newCredential({ expiry: { at: expiresAt } }), CREATE)
  first.clock.advance(5000)
  assert.equal((await first.store.agents.viewForIssue([agent.clientId], 'fresh')).now, expiresAt)
  first.clock.advance(-500)
  const { store, dispose } = await first.reopen(null)
  t.after(dispose)
  assert.ok((await store.agents.viewForIssue([agent.clientId], 'fresh')).now >= expiresAt)
})

testEmbedded('a request is compared with all that live, however many expired before, by an index', async t => {
  const { store, agent, clock, file } = await makeWorld(t)
  for (let n = 0; n < 3 * CREDENTIALS_MAX; n += 1) {
    await store.credentials.create(agent.id, newCredential({ expiry: { afterMs: 1000 } }), CREATE)
    clock.advance(1000)
  }
  const live = taken(await store.credentials.create(agent.id, newCredential({ expiry: { afterMs: 1000 } }), CREATE))
  const found = await usable(store, agent)
  assert.equal(found.length, CREDENTIALS_MAX)
  assert.deepEqual(found.slice(0, 2), [agent.credentialId, live.id])
  const statement = `select n from credential where agent = ? and revoked_at is null and expires_at is not null
    order by expires_at desc limit ?`
  assert.match(planOf(file, statement).join(), /^SEARCH credential USING INDEX credential_usable \(agent=\?[^,]*$/)
})

test('credentials are listed oldest first, page by page, none twice and none left out', async t => {
  const { store, agent } = await makeWorld(t)
  const ids = [agent.credentialId]
  for (let n = 0; n < 4; n += 1) {
    ids.push(taken(await store.credentials.create(agent.id, newCredential(), CREATE)).id)
    await createAgent(store)
  }
  const listed: string[] = []
  for (let after: string | null = null; ; after = listed.at(-1) ?? null) {
    const page = await store.credentials.list(agent.id, { names: NO_NAME_FILTERS, after, limit: 2, audiences: null })
    listed.push(...(page ?? []).map(({ id }) => id))
    if (page === undefined || page.length < 2) break
  }
  assert.deepEqual(listed, ids)
  assert.equal(
    await store.credentials.list(randomUUID(), { names: NO_NAME_FILTERS, after: null, limit: 2, audiences: null }),
    undefined,
  )
})
