// The deletion of an agent: what it ends, what it frees, and what still names it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aliveOf,
  changed,
  changeIn,
  endingsOf,
  makeAgentWorld,
  openElsewhere,
  seqOf,
} from '../../../../testkit/stores/agent-world.ts'
import { act, createAgent, issue, START } from '../../../../testkit/stores/store.ts'
import { countRows, readRows } from '../../../../testkit/stores/store-file.ts'

test('the lifetime of a deleted agent is free again', async t => {
  const world = await makeAgentWorld(t)
  for (let life = 1; life <= 15; life += 1) await createAgent(world.store, life)
  const last = await createAgent(world.store, 16)
  assert.equal(await changeIn(world.store, world.agent, { lifetimeSeconds: 17 }), 'lifetimes_full')
  await world.store.agents.delete(last.id, act('agent.delete'))
  await changed(world, { lifetimeSeconds: 17 })
})

test('deleting ends the live tokens, frees the name, and hides the agent, which history still names', async t => {
  const world = await makeAgentWorld(t)
  const { store, agent, clock } = world
  const tokens = await issue(store, agent, ...Array.from({ length: 70 }, () => ({})))
  await createAgent(store)
  clock.advance(50)
  const name = (await store.agents.show(agent.id))?.name ?? ''
  assert.equal(await store.agents.delete(agent.id, act('agent.delete')), 'deleted')
  assert.deepEqual(new Set(await aliveOf(store, tokens)), new Set([false]))
  assert.deepEqual(new Set((await endingsOf(store, agent)).map(({ reason }) => reason)), new Set(['agent_deleted']))
  assert.equal(await store.agents.show(agent.id), undefined)
  assert.deepEqual((await store.agents.viewForIssue([agent.clientId], 'cached')).clients, [undefined])
  const heir = await createAgent(store, null, { name })
  assert.equal((await store.agents.show(heir.id))?.name, name)
  assert.deepEqual(readRows(world.file, 'select id, disabled_at, deleted_at from agent where deleted_at is not null'), [
    { id: agent.id, disabled_at: START + 50, deleted_at: START + 50 },
  ])
})

test('a deleted agent stays deleted, and its tokens dead, when the store is opened again', async t => {
  const world = await makeAgentWorld(t)
  const { store, agent } = world
  const tokens = await issue(store, agent, ...Array.from({ length: 70 }, () => ({})))
  await store.agents.delete(agent.id, act('agent.delete'))
  const again = await world.reopen(null)
  t.after(again.store.close)
  assert.deepEqual(new Set(await aliveOf(again.store, tokens)), new Set([false]))
  assert.equal(await again.store.agents.show(agent.id), undefined)
})

test('a deleted agent is unknown to every act, and no act takes a number', async t => {
  const world = await makeAgentWorld(t)
  const { store, agent } = world
  await store.agents.delete(agent.id, act('agent.delete'))
  const [audits, seq] = [countRows(world.file, 'audit'), seqOf(world)]
  assert.equal(await changeIn(store, agent, { owner: 'data' }), 'unknown')
  assert.equal(await store.agents.disable(agent.id, act('agent.disable')), undefined)
  assert.equal(await store.agents.enable(agent.id, act('agent.enable')), undefined)
  assert.equal(await store.agents.delete(agent.id, act('agent.delete')), 'unknown')
  assert.deepEqual([countRows(world.file, 'audit'), seqOf(world)], [audits, seq])
})

test('deleting a disabled agent leaves the reason for which its tokens ended', async t => {
  const world = await makeAgentWorld(t)
  const { store, agent } = world
  await issue(store, agent, ...Array.from({ length: 70 }, () => ({})))
  await store.agents.disable(agent.id, act('agent.disable'))
  await store.agents.delete(agent.id, act('agent.delete'))
  const reasons = (await endingsOf(store, agent)).map(({ reason }) => reason)
  assert.deepEqual([reasons.length, new Set(reasons)], [70, new Set(['agent_disabled'])])
})

test('of 50 callers that delete one agent at once one deletes it', async t => {
  const world = await makeAgentWorld(t)
  const { store, agent, file } = world
  const elsewhere = await openElsewhere(t, world)
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => (n % 2 ? store : elsewhere).agents.delete(agent.id, act('agent.delete'))),
  )
  assert.equal(answers.filter(answer => answer === 'deleted').length, 1)
  assert.equal(countRows(file, `audit where kind = 'agent.delete'`), 1)
})
