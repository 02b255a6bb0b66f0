// A change of an agent: what it may say, what it leaves, and who wins where several change at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANY_AGENT, CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import type { AgentChange, AgentSettings } from '../../../src/domain/clients/change-agent.ts'
import {
  aliveOf,
  changed,
  changeIn,
  makeAgentWorld,
  openElsewhere,
  refused,
  seqOf,
} from '../../../../testkit/stores/agent-world.ts'
import { newIssuer } from '../../../../testkit/stores/new-things.ts'
import { act, createAgent, issue, type TestedStore } from '../../../../testkit/stores/store.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'

const [OURS, THEIRS] = ['https://ours.example', 'https://theirs.example']

test('changing nothing writes nothing', async t => {
  const world = await makeAgentWorld(t, { labels: { a: '1' }, scopes: ['db:*'], resources: [OURS], owner: 'data' })
  const [audits, seq] = [countRows(world.file, 'audit'), seqOf(world)]
  const same: AgentChange = { labels: { a: '1', b: null }, scopes: ['db:*'], resources: [OURS], owner: 'data' }
  for (const change of [{}, same, { labels: {} }]) {
    assert.deepEqual(await changed(world, change), await world.store.agents.show(world.agent.id))
  }
  assert.deepEqual([countRows(world.file, 'audit'), seqOf(world)], [audits, seq])
})

/** Each setting, as it is changed from blank and back. */
const CHANGES: Readonly<Record<keyof AgentSettings, readonly [AgentChange, AgentChange]>> = {
  name: [{ name: 'other' }, { name: 'one' }],
  description: [{ description: 'other' }, { description: null }],
  owner: [{ owner: 'data' }, { owner: null }],
  labels: [{ labels: { a: '1' } }, { labels: null }],
  scopes: [{ scopes: ['db:*', 'files:*'] }, { scopes: ['db:*'] }],
  defaultScope: [{ defaultScope: ['db:read'] }, { defaultScope: null }],
  resources: [{ resources: ['*', OURS] }, { resources: ['*'] }],
  defaultAudience: [{ defaultAudience: OURS }, { defaultAudience: null }],
  lifetimeSeconds: [{ lifetimeSeconds: 60 }, { lifetimeSeconds: null }],
  tokensPerMinute: [{ tokensPerMinute: 5 }, { tokensPerMinute: null }],
  tokensPerDay: [{ tokensPerDay: 5 }, { tokensPerDay: null }],
  liveTokensMax: [{ liveTokensMax: 5 }, { liveTokensMax: null }],
  atLiveTokensMax: [{ atLiveTokensMax: 'supersede' }, { atLiveTokensMax: 'refuse' }],
  dpopBound: [{ dpopBound: true }, { dpopBound: false }],
  certificateBound: [{ certificateBound: true }, { certificateBound: false }],
  grantTypes: [{ grantTypes: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE] }, { grantTypes: [CLIENT_CREDENTIALS] }],
  actsFor: [{ actsFor: [ANY_AGENT] }, { actsFor: [] }],
  receives: [{ receives: [THEIRS] }, { receives: [] }],
  issuerClients: [{ issuerClients: { acme: 'relay' } }, { issuerClients: {} }],
  claims: [{ claims: { level: 3, roles: ['a'], tenant_id: 'x', trial: true } }, { claims: {} }],
  expiresAt: [{ expiresAt: 4_102_444_800_000 }, { expiresAt: null }],
}

test('each change of an agent is seen by the first request after it, in every process that remembers the agent', async t => {
  const world = await makeAgentWorld(t)
  await world.store.issuers.create({ ...newIssuer(), alias: 'acme' }, act('issuer.create'))
  const stores = [world.store, await openElsewhere(t, world)]
  const remembered = (store: TestedStore) => store.agents.viewForIssue([world.agent.clientId], 'cached')
  for (const [name, changes] of Object.entries(CHANGES)) {
    for (const change of changes) {
      await Promise.all(stores.map(remembered))
      const after = await changed(world, change)
      for (const store of stores) {
        const [client] = (await remembered(store)).clients
        assert.deepEqual(client?.agent, after, `${name}: ${JSON.stringify(change)}`)
      }
    }
  }
})

test('labels are merged: a value sets one, null removes it, and null alone removes all', async t => {
  const world = await makeAgentWorld(t, { labels: { a: '1', b: '2' } })
  const labelsAfter = async (labels: AgentChange['labels']) => (await changed(world, { labels })).labels
  assert.deepEqual(await labelsAfter({ c: '3', a: null }), { b: '2', c: '3' })
  assert.deepEqual(await labelsAfter({ b: '4' }), { b: '4', c: '3' })
  assert.deepEqual(await labelsAfter(null), {})
})

test('at most 32 labels on one agent, however they came', async t => {
  const world = await makeAgentWorld(t)
  const labels = (from: number, to: number) =>
    Object.fromEntries(Array.from({ length: to - from }, (_, n) => [`k${from + n}`, 'v']))
  await changed(world, { labels: labels(0, 20) })
  await changed(world, { labels: labels(20, 32) })
  assert.equal(await refused(world, { labels: { more: 'v' } }), 'An agent may have at most 32 labels.')
  await changed(world, { labels: { k0: null, more: 'v' } })
})

test('two processes that change different members of one agent at once: both hold', async t => {
  const world = await makeAgentWorld(t)
  const { store, agent } = world
  const elsewhere = await openElsewhere(t, world)
  const changes = Array.from({ length: 32 }, (_, n) =>
    changeIn(n % 2 ? store : elsewhere, agent, n === 0 ? { owner: 'data' } : { labels: { [`k${n}`]: 'v' } }),
  )
  await Promise.all([...changes, changeIn(elsewhere, agent, { description: 'both' })])
  const shown = await store.agents.show(agent.id)
  assert.deepEqual([shown?.owner, shown?.description], ['data', 'both'])
  assert.equal(Object.keys(shown?.labels ?? {}).length, 31)
})

test('of 50 agents that take one name at once one gets it', async t => {
  const world = await makeAgentWorld(t)
  const { store, file } = world
  const elsewhere = await openElsewhere(t, world)
  const agents = await Promise.all(Array.from({ length: 50 }, () => createAgent(store)))
  const answers = await Promise.all(
    agents.map((agent, n) => changeIn(n % 2 ? store : elsewhere, agent, { name: 'wanted' })),
  )
  assert.equal(answers.filter(answer => answer === 'name_taken').length, 49)
  assert.equal(countRows(file, `agent where name = 'wanted'`), 1)
})

test('a default scope that the narrowed scope no longer allows is refused; naming another with it is not', async t => {
  const world = await makeAgentWorld(t, { scopes: ['db:*'], defaultScope: ['db:read'] })
  assert.equal(
    await refused(world, { scopes: ['db:write'] }),
    'The default scope holds db:read, which the scope does not allow.',
  )
  await changed(world, { scopes: ['db:write'], defaultScope: null })
  assert.match(await refused(world, { defaultScope: ['db:read'] }), /^The default scope holds db:read/)
})

test('a default audience that the narrowed resources no longer allow is refused, unless it is named again', async t => {
  const world = await makeAgentWorld(t, { resources: [OURS, THEIRS], defaultAudience: THEIRS })
  assert.equal(
    await refused(world, { resources: [OURS] }),
    `The default audience is ${THEIRS}, which the resources would no longer allow: name the default audience too.`,
  )
  const tokens = await issue(world.store, world.agent, { audience: [THEIRS] })
  await changed(world, { resources: [OURS], defaultAudience: THEIRS })
  assert.deepEqual(await aliveOf(world.store, tokens), [true])
  // It stands outside the resources now, by somebody's word, and a change of those alone does not touch it.
  await changed(world, { resources: [] })
  assert.deepEqual(await aliveOf(world.store, tokens), [true])
})

test('a 17th lifetime is refused; the one that the agent gives up counts no more', async t => {
  const world = await makeAgentWorld(t)
  for (let life = 1; life <= 15; life += 1) await createAgent(world.store, life)
  await changed(world, { lifetimeSeconds: 16 })
  await changed(world, { lifetimeSeconds: 17 })
  const other = await createAgent(world.store)
  assert.equal(await changeIn(world.store, other, { lifetimeSeconds: 18 }), 'lifetimes_full')
  await issue(world.store, world.agent, { lifetimeSeconds: 17 })
  assert.equal(await changeIn(world.store, world.agent, { lifetimeSeconds: 18 }), 'lifetimes_full')
  await changed(world, { lifetimeSeconds: null })
})
