// Imports in the store: each client id once, all or nothing of a trial, and one conversion of a hash.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { importedAgent } from '../../../../testkit/callers/imports.ts'
import { act, createAgent, makeTestStore, START, type TestStore } from '../../../../testkit/stores/store.ts'
import { countRows, readRow, readRows } from '../../../../testkit/stores/store-file.ts'

const IMPORT = act('agent.import')
const CONVERT = act('credential.convert')
const KEYED = 'ab'.repeat(32)
const IN_TIME = Number.POSITIVE_INFINITY

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore()
  t.after(async () => world.dispose())
  return world
}

const usable = async ({ store }: TestStore, clientId: string) =>
  (await store.agents.viewForIssue([clientId], 'fresh')).clients[0]?.credentials

test('an imported agent is there with its client id, its settings and its credential', async t => {
  const world = await makeWorld(t)
  const imported = importedAgent({ clientId: 'orders:svc+1', credential: { expiresAt: START + 1000 } })
  const [agent] = await world.store.imports.create([imported], IMPORT, false)
  const { names: _names, isDisabled: _no, credential, ...settings } = imported
  const expected = {
    ...settings,
    name: imported.names[0],
    createdAt: START,
    disabledAt: null,
    suspendedAt: null,
    managedBy: null,
  }
  assert.deepEqual(agent, expected)
  assert.deepEqual(await world.store.agents.show(imported.id), expected)
  const [found, ...others] = (await usable(world, 'orders:svc+1')) ?? []
  assert.deepEqual(others, [])
  const { number: _number, trust, ...shown } = found ?? { number: 0, trust: undefined }
  assert.deepEqual([shown, trust], [credential, null])
})

test('each stands for itself: what is in the way of one is reported, and the others are made', async t => {
  const world = await makeWorld(t)
  const there = await createAgent(world.store)
  const retired = await createAgent(world.store)
  await world.store.agents.delete(retired.id, act('agent.delete'))
  const good = importedAgent({ isDisabled: true })
  const named = importedAgent({ names: good.names })
  const wishes = [
    importedAgent({ clientId: there.clientId }),
    importedAgent({ clientId: retired.clientId }),
    importedAgent({ credential: { expiresAt: START } }),
    good,
    named,
    importedAgent({ clientId: good.clientId }),
    importedAgent({ names: [good.names[0] ?? '', 'a second name'] }),
  ]
  const made = await world.store.imports.create(wishes, IMPORT, false)
  assert.ok(made !== 'caller_ended')
  assert.deepEqual(
    made.map(one => (typeof one === 'string' ? one : [one.name, one.disabledAt])),
    [
      'exists',
      'client_id_retired',
      'secret_expired',
      [good.names[0], START],
      'name_taken',
      'exists',
      ['a second name', null],
    ],
  )
})

test('a seventeenth lifetime is refused of the one that brings it, also where the others are of the same import', async t => {
  const world = await makeWorld(t)
  const wishes = Array.from({ length: 18 }, (_, n) => importedAgent({ lifetimeSeconds: n === 17 ? 1 : n + 1 }))
  const made = await world.store.imports.create(wishes, IMPORT, false)
  assert.ok(made !== 'caller_ended')
  assert.deepEqual(
    made.map(one => one === 'lifetimes_full'),
    wishes.map((_, n) => n === 16),
  )
})

test('a trial answers the same and leaves nothing: no agent, no audit, no time', async t => {
  const world = await makeWorld(t)
  const before = readRow(world.file, 'select seq, last_at from service')
  const first = importedAgent()
  const wishes = [first, importedAgent({ names: first.names }), importedAgent({ clientId: first.clientId })]
  world.clock.advance(1)
  const tried = await world.store.imports.create(wishes, IMPORT, true)
  assert.ok(tried !== 'caller_ended')
  assert.deepEqual(
    tried.map(one => (typeof one === 'string' ? one : 'made')),
    ['made', 'name_taken', 'exists'],
  )
  assert.deepEqual([countRows(world.file, 'agent'), countRows(world.file, 'credential')], [0, 0])
  assert.equal(readRows(world.file, `select 1 from audit where kind = 'agent.import'`).length, 0)
  assert.deepEqual(readRow(world.file, 'select seq, last_at from service'), before)
  assert.deepEqual(await world.store.imports.create(wishes, IMPORT, false), tried)
})

test('fifty at once with one client id: one makes the agent, and all others find it', async t => {
  const { store } = await makeWorld(t)
  const made = await Promise.all(
    Array.from({ length: 50 }, () => store.imports.create([importedAgent({ clientId: 'orders' })], IMPORT, false)),
  )
  assert.deepEqual(made.flat().filter(one => one === 'exists').length, 49)
})

test('fifty convert at once: one does, in one transaction with its entry of the audit, and the first hash stays', async t => {
  const world = await makeWorld(t)
  const agent = importedAgent()
  await world.store.imports.create([agent], IMPORT, false)
  const hashes = Array.from({ length: 50 }, (_, n) => n.toString(16).padStart(64, '0'))
  const outcomes = await Promise.all(
    hashes.map(hash => world.store.imports.convert(agent.credential.id, hash, CONVERT, IN_TIME)),
  )
  assert.equal(outcomes.filter(outcome => outcome === 'converted').length, 1)
  const entries = readRows(world.file, `select subject, detail from audit where kind = 'credential.convert' order by n`)
  assert.deepEqual(entries, [{ subject: agent.credential.id, detail: JSON.stringify({ agent_id: agent.id }) }])
  const [credential] = (await usable(world, agent.clientId)) ?? []
  assert.equal(credential?.foreignHash, null)
  assert.equal(credential.secretHash, hashes[outcomes.indexOf('converted')])
})

test('a conversion takes no number, and outlives a restart', async t => {
  const world = await makeTestStore()
  const agent = importedAgent()
  await world.store.imports.create([agent], IMPORT, false)
  const { seq } = readRow(world.file, 'select seq from service')
  const reopened = await world.reopen(null)
  t.after(async () => again.dispose())
  await reopened.store.imports.convert(agent.credential.id, KEYED, CONVERT, IN_TIME)
  assert.equal(readRow(world.file, 'select seq from service')['seq'], seq)
  const again = await reopened.reopen(null)
  assert.equal((await usable(again, agent.clientId))?.[0]?.secretHash, KEYED)
})

test('nothing is converted of a revoked credential, of a secret of ours, or of nothing', async t => {
  const { store, file } = await makeWorld(t)
  const revoked = importedAgent()
  await store.imports.create([revoked], IMPORT, false)
  const revocation = { agentId: revoked.id, id: revoked.credential.id, reason: 'credential_revoked' } as const
  await store.credentials.revoke({ ...revocation, keepTokens: false }, act('credential.revoke'))
  const own = await createAgent(store)
  for (const id of [revoked.credential.id, own.credentialId, randomUUID()]) {
    assert.equal(await store.imports.convert(id, KEYED, CONVERT, IN_TIME), 'nothing_to_do')
  }
  assert.equal(readRows(file, `select 1 from audit where kind = 'credential.convert'`).length, 0)
})

test('the audit of an import has neither secret nor hash', async t => {
  const { store, file } = await makeWorld(t)
  const agents = [importedAgent(), importedAgent({ credential: { secretHash: KEYED, foreignHash: null } })]
  await store.imports.create(agents, IMPORT, false)
  const entries = readRows(file, `select subject, detail from audit where kind = 'agent.import' order by n`)
  assert.deepEqual(
    entries.map(({ subject }) => subject),
    agents.map(({ id }) => id),
  )
  const text = JSON.stringify(entries)
  for (const secret of [agents[0]?.credential.foreignHash ?? '', KEYED]) assert.ok(!text.includes(secret))
  assert.match(text, /converted_at_first_use.*kept/)
})
