// Secrets found in the open: what has the hash is revoked with everything that it got, by one of those who report it.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import type { LeakedSecret } from '../../../src/ports/secret-repositories.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  NO_HISTORY_FILTERS,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { readRow } from '../../../../testkit/stores/store-file.ts'

const REVOKE = act('credential.revoke')
const FOUND_AT = 'https://git.example/leak'

const makeWorld = async (t: TestContext) => {
  const world: TestStore = await makeTestStore(null)
  t.after(world.dispose)
  const agent = await createAgent(world.store)
  const credential = { id: randomUUID(), name: 'leaked', secretHash: randomBytes(32).toString('hex'), expiry: null }
  await world.store.credentials.create(agent.id, credential, act('credential.create'))
  const report = () =>
    world.store.leakedSecrets.revoke('client_secret', credential.secretHash, { ...REVOKE, foundAt: FOUND_AT })
  const shown = await world.store.agents.show(agent.id)
  assert.ok(shown)
  const { name: agentName, owner } = shown
  const otherIds: readonly string[] = []
  const holder = { agentId: agent.id, agentName, owner } as const
  const found: LeakedSecret = {
    kind: 'credential',
    revoked: true,
    ...holder,
    id: credential.id,
    name: 'leaked',
    otherIds,
  }
  return { ...world, agent, credential, report, found }
}

/** A token that the second credential got. */
const issueByIt = async ({ store, agent, credential }: Awaited<ReturnType<typeof makeWorld>>) => {
  await store.credentials.revoke(
    { agentId: agent.id, id: agent.credentialId, reason: 'credential_revoked', keepTokens: true },
    REVOKE,
  )
  const [token] = await issue(store, { ...agent, credentialId: credential.id }, {})
  assert.ok(token)
  return token
}

test('a leaked credential is revoked and its tokens end with secret_leaked; reporting it again finds it revoked', async t => {
  const world = await makeWorld(t)
  const { store, agent, credential, file } = world
  const token = await issueByIt(world)
  assert.deepEqual(await world.report(), world.found)
  assert.deepEqual(await world.report(), { ...world.found, revoked: false })
  assert.equal((await store.ledger.find([token]))[0], undefined)
  const request = { filters: NO_HISTORY_FILTERS, audiences: null, after: null, limit: 10 }
  const { records } = await store.ledger.listEnded(request)
  assert.deepEqual(
    records.map(({ id, reason }) => [id, reason]),
    [[token.id, 'secret_leaked']],
  )
  assert.notEqual((await store.credentials.show(agent.id, credential.id, null))?.revokedAt, null)
  const { detail } = readRow(file, 'select detail from audit where subject = ? order by n desc limit 1', credential.id)
  assert.partialDeepStrictEqual(JSON.parse(String(detail)), { reason: 'secret_leaked', found_at: FOUND_AT })
})

test('tokens that an earlier revocation kept end where the secret is reported', async t => {
  const world = await makeWorld(t)
  const { store, agent, credential } = world
  const token = await issueByIt(world)
  const kept = { agentId: agent.id, id: credential.id, reason: 'credential_revoked', keepTokens: true } as const
  await store.credentials.revoke(kept, REVOKE)
  assert.deepEqual(await world.report(), world.found)
  assert.equal((await store.ledger.find([token]))[0], undefined)
})

test('of twenty reports of one secret one revokes it', async t => {
  const world = await makeWorld(t)
  const answers = await Promise.all(Array.from({ length: 20 }, world.report))
  assert.equal(answers.filter(answer => answer?.revoked).length, 1)
})

test('a leaked API key is revoked, and a hash counts only as the kind of secret that it is of', async t => {
  const { store, credential } = await makeWorld(t)
  const keyHash = randomBytes(32).toString('hex')
  const apiKey = { id: randomUUID(), name: 'gateway', permissions: [], audiences: null, keyHash, expiry: null }
  await store.apiKeys.create(apiKey, act('api_key.create'))
  assert.equal(await store.leakedSecrets.revoke('client_secret', keyHash, REVOKE), undefined)
  assert.equal(await store.leakedSecrets.revoke('api_key', credential.secretHash, REVOKE), undefined)
  const report = () => store.leakedSecrets.revoke('api_key', keyHash, { ...act('api_key.revoke'), foundAt: null })
  assert.deepEqual(await report(), { kind: 'api_key', revoked: true, id: apiKey.id, name: 'gateway' })
  assert.deepEqual(await report(), { kind: 'api_key', revoked: false, id: apiKey.id, name: 'gateway' })
  assert.deepEqual(await store.apiKeys.find([keyHash]), [undefined])
})
