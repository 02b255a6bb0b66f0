// The audit: every act that changes the store leaves its row in the same transaction, and never a secret.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { NO_CONDITIONS } from '../../../src/domain/ledger/revocation.ts'
import type { Act } from '../../../src/domain/audit/act.ts'
import type { ActKind } from '../../../../api/values/audit.ts'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { importedAgent } from '../../../../testkit/callers/imports.ts'
import {
  createAgent,
  issue,
  makeTestStore,
  resetTestedClock,
  someSigningKey,
  START,
  type TestedStore,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { newAgent, newApiKey, newCredential, newSession } from '../../../../testkit/stores/new-things.ts'
import { ON_ISSUERS } from './acts-on-issuers.ts'
import { countRows, readRow, readRows, withFile } from '../../../../testkit/stores/store-file.ts'

const actBy = (kind: ActKind): Act => ({
  kind,
  actor: { type: 'operator', iss: 'https://idp.example', sub: 'ada' },
  note: 'as agreed',
  requestId: 'request-1',
  source: '192.0.2.1',
})

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  withFile(world.file, db => db.exec('delete from audit'))
  return world
}

/** Does the act on things made before it; gives the subject that its row must name. */
type Doing = (store: TestedStore, act: Act) => Promise<string | null>

/** Those of a service by itself and of a command have tests of their own; the end for a newer token is part of its issue. */
type OtherKind =
  | 'clock.reset'
  | 'store.accept'
  | 'store.backup'
  | 'store.restore'
  | 'token.supersede'
  | 'signing_key.drop'
  | 'signing_key.reencrypt'

/** A current key and one to follow it. */
const twoKeys = async ({ signingKeys }: TestedStore): Promise<{ readonly current: string; readonly next: string }> => {
  const next = someSigningKey()
  await signingKeys.createNext(next, actBy('signing_key.create'))
  const [current] = await signingKeys.published()
  return { current: current?.kid ?? '', next: next.publicJwk.kid }
}

const DOINGS: Readonly<Record<Exclude<ActKind, OtherKind>, Doing>> = {
  'agent.create': async (store, act) => {
    const agent = newAgent()
    await store.agents.create(agent, act)
    return agent.id
  },
  'agent.change': async (store, act) => {
    const { id } = await createAgent(store)
    await store.agents.change({ agentId: id, change: { owner: 'data' }, serviceAudience: null }, act)
    return id
  },
  'agent.delete': async (store, act) => {
    const { id } = await createAgent(store)
    await store.agents.delete(id, act)
    return id
  },
  'agent.disable': async (store, act) => {
    const { id } = await createAgent(store)
    await store.agents.disable(id, act)
    return id
  },
  'agent.enable': async (store, act) => {
    const { id } = await createAgent(store)
    await store.agents.disable(id, actBy('agent.disable'))
    await store.agents.enable(id, act)
    return id
  },
  'agent.import': async (store, act) => {
    const agent = importedAgent()
    await store.imports.create([agent], act, false)
    return agent.id
  },
  'credential.convert': async (store, act) => {
    const agent = importedAgent()
    await store.imports.create([agent], actBy('agent.import'), false)
    await store.imports.convert(agent.credential.id, 'ab'.repeat(32), act, Number.POSITIVE_INFINITY)
    return agent.credential.id
  },
  'api_key.create': async (store, act) => {
    const apiKey = newApiKey()
    await store.apiKeys.create(apiKey, act)
    return apiKey.id
  },
  'api_key.revoke': async (store, act) => {
    const apiKey = newApiKey()
    await store.apiKeys.create(apiKey, actBy('api_key.create'))
    await store.apiKeys.revoke(apiKey.id, act)
    return apiKey.id
  },
  ...ON_ISSUERS,
  'revocation.create': async (store, act) => {
    const id = randomUUID()
    await store.revocations.create({ id, conditions: NO_CONDITIONS, reason: 'bulk_revocation' }, act)
    return id
  },
  'api_key.rotate': async (store, act) => {
    const apiKey = newApiKey()
    await store.apiKeys.create(apiKey, actBy('api_key.create'))
    await store.apiKeys.rotate({ id: apiKey.id, graceMs: 1, replacement: newApiKey() }, act)
    return apiKey.id
  },
  'credential.create': async (store, act) => {
    const { id } = await createAgent(store)
    const credential = newCredential()
    await store.credentials.create(id, credential, act)
    return credential.id
  },
  'credential.rotate': async (store, act) => {
    const { id, credentialId } = await createAgent(store)
    await store.credentials.rotate(id, { id: credentialId, graceMs: 1, replacement: newCredential() }, act)
    return credentialId
  },
  'credential.revoke': async (store, act) => {
    const { id, credentialId } = await createAgent(store)
    const revocation = { agentId: id, id: credentialId, reason: 'credential_revoked', keepTokens: false } as const
    await store.credentials.revoke(revocation, act)
    return credentialId
  },
  'signing_key.create': async (store, act) => {
    const key = someSigningKey()
    await store.signingKeys.createFirst(key, act)
    return key.publicJwk.kid
  },
  'signing_key.rotate': async (store, act) => {
    const { next } = await twoKeys(store)
    await store.signingKeys.rotate({ candidate: null, force: true }, act)
    return next
  },
  'signing_key.retire': async (store, act) => {
    const { next } = await twoKeys(store)
    await store.signingKeys.retire({ kid: next, candidate: null, force: false }, act)
    return next
  },
  'signing_key.compromise': async (store, act) => {
    const { current } = await twoKeys(store)
    await store.signingKeys.compromise({ kid: current, candidate: null, revocationId: randomUUID() }, act)
    return current
  },
  'signing_key.import': async (store, act) => {
    const key = someSigningKey()
    await store.signingKeys.import(key, act)
    return key.publicJwk.kid
  },
  'session.create': async (store, act) => {
    const session = newSession()
    await store.sessions.create(session, act)
    return session.id
  },
  'session.end': async (store, act) => {
    const session = newSession()
    await store.sessions.create(session, actBy('session.create'))
    await store.sessions.end(session.id, act)
    return session.id
  },
  'token.revoke': async (store, act) => {
    const [token] = await issue(store, await createAgent(store), {})
    assert.ok(token)
    await store.ledger.end(token, 'manual_revocation', act)
    return token.id
  },
}

for (const [kind, doIt] of Object.entries(DOINGS) as [ActKind, Doing][]) {
  test(`${kind} writes one row with its time, kind, actor, request, source, subject and note`, async t => {
    const { store, file, clock } = await makeWorld(t)
    if (kind === 'signing_key.create') withFile(file, db => db.exec('delete from signing_key'))
    clock.advance(5)
    const subject = await doIt(store, actBy(kind))
    const { detail, ...row } = readRow(
      file,
      `select at, kind, actor, request_id, source, subject, note, detail from audit where kind = ? and request_id = 'request-1'`,
      kind,
    )
    assert.deepEqual(
      { ...row, actor: JSON.parse(String(row['actor'])) },
      {
        at: START + 5,
        kind,
        actor: { type: 'operator', iss: 'https://idp.example', sub: 'ada' },
        request_id: 'request-1',
        source: '192.0.2.1',
        subject,
        note: 'as agreed',
      },
    )
    assert.equal(typeof JSON.parse(String(detail)), 'object')
  })
}

test('an act over many tokens writes one row with its number, conditions and reason', async t => {
  const { store, file } = await makeWorld(t)
  const conditions = { ...NO_CONDITION, scope: 'db:write' }
  const seq = await store.ledger.endAll(conditions, 'scope_removed', actBy('token.revoke'))
  const { subject, detail } = readRow(file, 'select subject, detail from audit')
  assert.equal(subject, null)
  assert.deepEqual(JSON.parse(String(detail)), { seq, conditions, reason: 'scope_removed' })
})

test('a reset of the clock writes one row with both times', async t => {
  const { store, file, clock } = await makeWorld(t)
  await store.close()
  clock.stepWall(-5000)
  await resetTestedClock({ file, clock }, actBy('clock.reset'))
  const { kind, detail } = readRow(file, 'select kind, detail from audit')
  assert.equal(kind, 'clock.reset')
  const { from, to } = JSON.parse(String(detail)) as { from: number; to: number }
  assert.ok(from >= START)
  assert.equal(to, START - 5000)
})

test('an act that changed NO_CONDITIONS writes no row', async t => {
  const { store, file } = await makeWorld(t)
  const agent = await createAgent(store)
  const apiKey = newApiKey()
  await store.apiKeys.create(apiKey, actBy('api_key.create'))
  const [token] = await issue(store, agent, {})
  assert.ok(token)
  await store.agents.disable(agent.id, actBy('agent.disable'))
  await store.apiKeys.revoke(apiKey.id, actBy('api_key.revoke'))
  const before = countRows(file, 'audit')
  await store.agents.disable(agent.id, actBy('agent.disable'))
  await store.agents.disable(randomUUID(), actBy('agent.disable'))
  await store.agents.enable(randomUUID(), actBy('agent.enable'))
  await store.apiKeys.revoke(apiKey.id, actBy('api_key.revoke'))
  await store.apiKeys.revoke(randomUUID(), actBy('api_key.revoke'))
  await store.signingKeys.createFirst(someSigningKey(), actBy('signing_key.create'))
  await store.ledger.end(token, 'manual_revocation', actBy('token.revoke'))
  assert.equal(countRows(file, 'audit'), before)
})

/** How a secret might stand in a text. */
const spellingsOf = (secret: Uint8Array): readonly string[] => {
  const bytes = Buffer.from(secret)
  const json = JSON.stringify([...bytes]).slice(1, -1)
  return [bytes.toString('hex'), bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('latin1'), json]
}

test('no row of the audit or of the acts holds a secret, its hash, a sealed key or a digest', async t => {
  const { store, file } = await makeWorld(t)
  withFile(file, db => db.exec('delete from signing_key'))
  const [agent, apiKey, key] = [newAgent(), newApiKey(), someSigningKey()]
  await store.signingKeys.createFirst(key, actBy('signing_key.create'))
  await store.agents.create(agent, actBy('agent.create'))
  await store.apiKeys.create(apiKey, actBy('api_key.create'))
  const tokens = await issue(store, { ...agent, credentialId: agent.credential.id }, {}, {})
  const found = await store.ledger.find(tokens)
  for (const token of tokens) await store.ledger.end(token, 'manual_revocation', actBy('token.revoke'))
  await store.agents.disable(agent.id, actBy('agent.disable'))
  await store.apiKeys.revoke(apiKey.id, actBy('api_key.revoke'))
  const text = JSON.stringify([
    readRows(file, 'select at, kind, actor, request_id, subject, note, detail from audit'),
    readRows(file, 'select kind, actor, note, at from act'),
  ])
  assert.ok(text.includes(agent.id) && text.includes(apiKey.id), 'the rows that are searched are there')
  const digests = found.flatMap(token => (token === undefined ? [] : [token.digest]))
  assert.equal(digests.length, 2)
  const hashes = [agent.credential.secretHash, apiKey.keyHash, ...digests].map(hex => Buffer.from(hex, 'hex'))
  for (const secret of [key.sealedPrivateKey, ...hashes]) {
    for (const spelling of spellingsOf(secret)) assert.ok(!text.includes(spelling))
  }
})
