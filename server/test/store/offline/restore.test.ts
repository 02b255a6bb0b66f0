// A restore from a backup: whatever was ended, revoked or disabled after the backup stays so, until an operator accepts it.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import type { Act } from '../../../src/domain/audit/act.ts'
import { seqAfterRestore } from '../../../src/domain/restore.ts'
import type { SqliteStore } from '../../../src/store/sqlite/open.ts'
import { auditSealKey } from '../../../src/keys/at-rest/sealed-bytes.ts'
import { sealStep } from '../../../src/store/audit/seals.ts'
import { verifyAudit } from '../../../src/store/offline/sqlite/verify-audit.ts'
import { backUp, openRestored, restore } from '../../../../testkit/stores/backups.ts'
import {
  act,
  createAgent,
  issue,
  makeTestStore,
  NO_HISTORY_FILTERS,
  type TestAgent,
  type TestStore,
  type TestedStore,
} from '../../../../testkit/stores/store.ts'
import { newApiKey, newIssuer } from '../../../../testkit/stores/new-things.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import {
  countRows,
  inTransaction,
  readNumber,
  readRow,
  readRows,
  withWritingConnection,
} from '../../../../testkit/stores/store-file.ts'

/** The clock of these is the machine's own: what is restored is opened by it. */
const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null, Date.now())
  t.after(world.dispose)
  return world
}

const open = async (t: TestContext, file: string): Promise<SqliteStore> => {
  const store = await openRestored(file)
  t.after(store.close)
  return store
}

const canIssue = async (store: SqliteStore, { clientId, credentialId }: TestAgent): Promise<boolean> => {
  const { clients } = await store.agents.viewForIssue([clientId], 'fresh')
  const [client] = clients
  return client?.agent.disabledAt === null && client.credentials.some(({ id }) => id === credentialId)
}

const isTaken = async (store: SqliteStore, keyHash: string): Promise<boolean> =>
  (await store.apiKeys.find([keyHash]))[0] !== undefined

const firstPage = { filters: NO_HISTORY_FILTERS, after: null, limit: 100, audiences: null } as const

test('every token of the backup is dead and in history as restored, whether it was revoked after the backup or not', async t => {
  const world = await makeWorld(t)
  const agent = await createAgent(world.store)
  const [kept, revoked, lost] = await issue(world.store, agent, {}, {}, {})
  assert.ok(kept && revoked && lost)
  await world.store.ledger.end(lost, 'manual_revocation', act('token.revoke'))
  const { file: backup } = await backUp(world)
  await world.store.ledger.end(revoked, 'manual_revocation', act('token.revoke'))
  const [after] = await issue(world.store, agent, {})
  assert.ok(after)
  const { file } = restore(world, backup)
  const store = await open(t, file)
  const found = await store.ledger.find([kept, revoked, lost, after])
  assert.deepEqual(
    found.map(token => token?.dead),
    [undefined, undefined, undefined, undefined],
  )
  const { records } = await store.ledger.listEnded(firstPage)
  assert.deepEqual(
    new Map(records.map(({ id, reason }) => [id, reason])),
    new Map([
      [kept.id, 'restored'],
      [revoked.id, 'restored'],
      [lost.id, 'manual_revocation'],
    ]),
  )
})

test('more tokens than move at once are dead at the restore all the same', async t => {
  const world = await makeWorld(t)
  const agent = await createAgent(world.store)
  const tokens = await issue(world.store, agent, ...Array.from({ length: 70 }, () => ({})))
  const { file } = restore(world, (await backUp(world)).file)
  const store = await open(t, file)
  assert.deepEqual(
    (await store.ledger.find(tokens)).map(token => token?.dead),
    tokens.map(() => true),
  )
})

/** Three agents and two API keys, of which `endSome` ends some, each in its own way. */
const makeClients = async (store: TestedStore) => {
  const [revoked, live] = [newApiKey(), newApiKey()]
  for (const key of [revoked, live]) await store.apiKeys.create(key, act('api_key.create'))
  const agents = [await createAgent(store), await createAgent(store), await createAgent(store)] as const
  return { disabled: agents[0], leaked: agents[1], well: agents[2], revoked, live }
}

const endSome = async (
  store: TestedStore,
  { disabled, leaked, revoked }: Awaited<ReturnType<typeof makeClients>>,
): Promise<void> => {
  await store.agents.disable(disabled.id, act('agent.disable'))
  const leak = { agentId: leaked.id, id: leaked.credentialId, reason: 'secret_leaked', keepTokens: false } as const
  await store.credentials.revoke(leak, act('credential.revoke'))
  await store.apiKeys.revoke(revoked.id, act('api_key.revoke'))
}

test('an agent disabled, a credential revoked and an API key revoked after the backup stay dead, and so do the others', async t => {
  const world = await makeWorld(t)
  const { store } = world
  const clients = await makeClients(store)
  const { disabled, leaked, well, revoked, live } = clients
  const { file: backup } = await backUp(world)
  await endSome(store, clients)
  const { file, suspended } = restore(world, backup)
  assert.deepEqual(suspended, { agents: 3, credentials: 3, apiKeys: 2, issuers: 0 })
  const restored = await open(t, file)
  for (const agent of [disabled, leaked, well]) assert.equal(await canIssue(restored, agent), false)
  for (const key of [revoked, live]) assert.equal(await isTaken(restored, key.keyHash), false)
})

test('what is suspended can be ended again, and then no acceptance brings it back', async t => {
  const world = await makeWorld(t)
  const clients = await makeClients(world.store)
  const { disabled, leaked, well, revoked, live } = clients
  const { file } = restore(world, (await backUp(world)).file)
  const store = await open(t, file)
  await endSome(store, clients)
  await store.restores.accept({ kind: 'all' }, act('store.accept'))
  assert.deepEqual(
    [await canIssue(store, disabled), await canIssue(store, leaked), await canIssue(store, well)],
    [false, false, true],
  )
  assert.deepEqual([await isTaken(store, revoked.keyHash), await isTaken(store, live.keyHash)], [false, true])
})

test('one agent with its credentials, one credential with its agent, one API key, or one issuer is accepted alone', async t => {
  const world = await makeWorld(t)
  const { store: before } = world
  const [one, two, three] = [await createAgent(before), await createAgent(before), await createAgent(before)]
  const second = { id: randomUUID(), name: 'second', secretHash: randomBytes(32).toString('hex'), expiry: null }
  await before.credentials.create(two.id, second, act('credential.create'))
  const [key, other] = [newApiKey(), newApiKey()]
  for (const each of [key, other]) await before.apiKeys.create(each, act('api_key.create'))
  const issuers = [newIssuer(), newIssuer()] as const
  for (const each of issuers) await before.issuers.create(each, act('issuer.create'))
  const { file } = restore(world, (await backUp(world)).file)
  const store = await open(t, file)
  const accept = (kind: 'agent' | 'credential' | 'api_key' | 'issuer', id: string) =>
    store.restores.accept({ kind, id }, act('store.accept'))
  assert.deepEqual(await accept('agent', one.id), { agents: 1, credentials: 1, apiKeys: 0, issuers: 0 })
  assert.deepEqual(await accept('credential', second.id), { agents: 1, credentials: 1, apiKeys: 0, issuers: 0 })
  assert.deepEqual(await accept('api_key', key.id), { agents: 0, credentials: 0, apiKeys: 1, issuers: 0 })
  assert.deepEqual(await accept('issuer', issuers[0].alias), { agents: 0, credentials: 0, apiKeys: 0, issuers: 1 })
  const newer = { ...two, credentialId: second.id }
  const issuing = [one, two, newer, three].map(agent => canIssue(store, agent))
  assert.deepEqual(await Promise.all(issuing), [true, false, true, false])
  assert.deepEqual([await isTaken(store, key.keyHash), await isTaken(store, other.keyHash)], [true, false])
  const waiting = { agents: 1, credentials: 2, apiKeys: 1, issuers: 1 }
  assert.deepEqual((await store.restores.state())?.suspended, waiting)
  assert.deepEqual([(await store.facts()).suspended, await store.health.isAnySuspended()], [waiting, true])
  for (const kind of ['agent', 'credential', 'api_key', 'issuer'] as const) {
    assert.equal(await accept(kind, randomUUID()), 'unknown')
  }
  await store.restores.accept({ kind: 'all' }, act('store.accept'))
  assert.equal(await store.health.isAnySuspended(), false)
})

test('a secret that a suspended agent is given after the restore gets no token before the agent is accepted', async t => {
  const world = await makeWorld(t)
  const agent = await createAgent(world.store)
  const { file } = restore(world, (await backUp(world)).file)
  const store = await open(t, file)
  const second = { id: randomUUID(), name: 'second', secretHash: randomBytes(32).toString('hex'), expiry: null }
  await store.credentials.create(agent.id, second, act('credential.create'))
  const newer = { ...agent, credentialId: second.id }
  assert.equal(await canIssue(store, newer), false)
  await store.restores.accept({ kind: 'credential', id: second.id }, act('store.accept'))
  assert.deepEqual([await canIssue(store, newer), await canIssue(store, agent)], [true, false])
})

test('a suspended API key makes nothing, even where it was recognized a moment before', async t => {
  const world = await makeWorld(t)
  const [key, other] = [newApiKey(), newApiKey()]
  await world.store.apiKeys.create(key, act('api_key.create'))
  const { file } = restore(world, (await backUp(world)).file)
  const store = await open(t, file)
  const byKey: Act = { ...act('api_key.create'), actor: { type: 'api_key', id: key.id } }
  assert.equal(await store.apiKeys.create(other, byKey), 'caller_ended')
})

test('no signing key of the backup is published or signs; the one that was made at the restore does', async t => {
  const world = await makeWorld(t)
  const before = await world.store.signingKeys.published()
  assert.equal(before.length, 1)
  const { file, kid } = restore(world, (await backUp(world)).file)
  const store = await open(t, file)
  assert.deepEqual(
    (await store.signingKeys.published()).map(key => key.kid),
    [kid],
  )
  assert.equal((await store.agents.viewForIssue([], 'fresh')).signingKey.publicJwk.kid, kid)
  assert.equal(countRows(file, `signing_key where state <> 'current' and length(sealed_private_key) > 0`), 0)
})

test('the numbers of a restored store are above all that the lost one gave, and so again where it is restored twice', async t => {
  const world = await makeWorld(t)
  const agent = await createAgent(world.store)
  const { file: backup } = await backUp(world)
  for (let n = 0; n < 20; n += 1) {
    await world.store.agents.disable(agent.id, act('agent.disable'))
    await world.store.agents.enable(agent.id, act('agent.enable'))
  }
  const lost = readNumber(world.file, 'select seq from service')
  const first = restore(world, backup)
  assert.ok(first.seq > lost)
  const store = await open(t, first.file)
  for (let n = 0; n < 20; n += 1) {
    await store.agents.disable(agent.id, act('agent.disable'))
    await store.agents.enable(agent.id, act('agent.enable'))
  }
  const given = readNumber(first.file, 'select seq from service')
  assert.ok(given > first.seq)
  world.clock.advance(1)
  assert.ok(restore(world, backup, 'again.db').seq > given)
  assert.deepEqual(readRow(first.file, 'select ended_seq, last_end_seq from service')['ended_seq'], first.seq)
})

test('numbers go on above a thousand a millisecond and at least 2^32 further, and stay exact', () => {
  const now = Date.UTC(2026, 10, 21)
  assert.equal(seqAfterRestore(7, now), 1000 * now)
  assert.equal(seqAfterRestore(1000 * now, now), 1000 * now + 2 ** 32)
  assert.equal(seqAfterRestore(1000 * now + 5, now - 3_600_000), 1000 * now + 5 + 2 ** 32)
  assert.ok(Number.isSafeInteger(seqAfterRestore(0, Date.UTC(2200, 0, 1))))
})

const KEY = auditSealKey(new Uint8Array(32).fill(1))

const sealAll = (world: Pick<TestStore, 'file' | 'clock'>) =>
  withWritingConnection(world, connection => inTransaction(connection, tx => sealStep(tx, KEY)))

test('the restore is the next entry of the audit log, which stays good; a head of the lost time is reported as missing', async t => {
  const world = await makeWorld(t)
  const agent = await createAgent(world.store)
  await world.store.issuers.create(newIssuer(), act('issuer.create'))
  const kept = sealAll(world)
  const { file: backup, madeAt } = await backUp(world)
  const entries = countRows(world.file, 'audit')
  await world.store.agents.disable(agent.id, act('agent.disable'))
  const lost = sealAll(world)
  const { file, seq } = restore(world, backup)
  const { kind, detail } = readRow(file, 'select kind, detail from audit where n = ?', entries + 1)
  assert.equal(kind, 'store.restore')
  const counts = { agents: 1, credentials: 1, api_keys: 0, issuers: 1 }
  assert.deepEqual(JSON.parse(String(detail)), { seq, backup_made_at: world.clock.wall(), ...counts })
  assert.ok(madeAt <= Date.now())
  sealAll({ file, clock: world.clock })
  const check = (number: number | null, head: string | null) =>
    verifyAudit({ file, timing: TIMING, key: KEY, known: { number, head } })
  assert.equal(check(null, null).good, true)
  assert.equal(check(kept?.number ?? 0, kept?.head ?? '').good, true)
  const verdict = check(lost?.number ?? 0, lost?.head ?? '')
  assert.deepEqual(verdict.good ? null : verdict.tampering, 'cut_off')
})

test('an acceptance writes one entry with what it was for, of an issuer with its number, and one that changes nothing writes none', async t => {
  const world = await makeWorld(t)
  const agent = await createAgent(world.store)
  const issuer = newIssuer()
  await world.store.issuers.create(issuer, act('issuer.create'))
  const { file } = restore(world, (await backUp(world)).file)
  const store = await open(t, file)
  assert.deepEqual((await store.restores.state())?.suspended, { agents: 1, credentials: 1, apiKeys: 0, issuers: 1 })
  for (let n = 0; n < 2; n += 1) await store.restores.accept({ kind: 'agent', id: agent.id }, act('store.accept'))
  for (let n = 0; n < 2; n += 1) await store.restores.accept({ kind: 'issuer', id: issuer.alias }, act('store.accept'))
  const rows = readRows(file, `select subject, detail from audit where kind = 'store.accept' order by n`)
  const seq = readNumber(file, 'select seq from service')
  assert.deepEqual(
    rows.map(({ subject, detail }) => [subject, JSON.parse(String(detail)) as unknown]),
    [
      [agent.id, { accepted: 'agent', agents: 1, credentials: 1, api_keys: 0, issuers: 0 }],
      [issuer.alias, { accepted: 'issuer', agents: 0, credentials: 0, api_keys: 0, issuers: 1, seq }],
    ],
  )
  assert.deepEqual((await store.restores.state())?.suspended, { agents: 0, credentials: 0, apiKeys: 0, issuers: 0 })
})
