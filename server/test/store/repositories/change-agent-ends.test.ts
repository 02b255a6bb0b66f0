// What a change of an agent ends: the tokens that carry what it lost, at once and for good, and no others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentChange } from '../../../src/domain/clients/change-agent.ts'
import {
  aliveOf,
  changed,
  endingsOf,
  makeAgentWorld,
  openElsewhere,
  refused,
  seqOf,
  SERVICE,
} from '../../../../testkit/stores/agent-world.ts'
import { act, issue, KEEP_LONG, newTokens } from '../../../../testkit/stores/store.ts'
import { countRows, readRow, readRows } from '../../../../testkit/stores/store-file.ts'

const [OURS, THEIRS] = ['https://ours.example', 'https://theirs.example']
const BY_TESTER = { type: 'cli', id: 'tester' }

test('narrowing the scope ends the tokens that carry what it lost, and widening it again revives none', async t => {
  const world = await makeAgentWorld(t, { scopes: ['db:*', 'log:write'] })
  const { store, agent } = world
  const scopes = ['db:read', 'db:write', 'db:read db:write', 'log:write']
  const tokens = await issue(store, agent, ...scopes.map(scope => ({ scope })))
  await changed(world, { scopes: ['db:read', 'log:*'] })
  assert.deepEqual(await aliveOf(store, tokens), [true, false, false, true])
  const ended = tokens.slice(1, 3).map(({ id }) => ({ id, reason: 'scope_removed', endedBy: BY_TESTER }))
  assert.deepEqual(new Set(await endingsOf(store, agent)), new Set(ended))
  await changed(world, { scopes: ['db:*', 'log:*'] })
  assert.deepEqual(await aliveOf(store, tokens), [true, false, false, true])
  assert.deepEqual(await aliveOf(store, await issue(store, agent, { scope: 'db:write' })), [true])
})

test('narrowing the resources ends the tokens for an audience that it lost, also among others', async t => {
  const world = await makeAgentWorld(t, { resources: [OURS, THEIRS] })
  const { store, agent } = world
  const audiences = [[OURS], [THEIRS], [OURS, THEIRS], [SERVICE]]
  const tokens = await issue(store, agent, ...audiences.map(audience => ({ audience })))
  await changed(world, { resources: [OURS] })
  assert.deepEqual(await aliveOf(store, tokens), [true, false, false, true])
  assert.deepEqual(new Set((await endingsOf(store, agent)).map(({ reason }) => reason)), new Set(['audience_removed']))
  await changed(world, { resources: ['*'] })
  assert.deepEqual(await aliveOf(store, tokens), [true, false, false, true])
})

test('from any resource to some: the tokens for others end; from some to any: none', async t => {
  const world = await makeAgentWorld(t, { resources: ['*'] })
  const { store, agent } = world
  const tokens = await issue(store, agent, { audience: [OURS] }, { audience: [THEIRS] }, { audience: [SERVICE] })
  await changed(world, { resources: ['*', OURS] })
  assert.deepEqual(await aliveOf(store, tokens), [true, true, true])
  await changed(world, { resources: [OURS] })
  assert.deepEqual(await aliveOf(store, tokens), [true, false, true])
})

test('a default audience of its own takes the place of the service’s: tokens for that end, unless it is a resource', async t => {
  for (const resources of [[OURS], [OURS, SERVICE]]) {
    for (const known of [SERVICE, null]) {
      const world = await makeAgentWorld(t, { resources })
      const tokens = await issue(world.store, world.agent, { audience: [SERVICE] }, { audience: [OURS] })
      await changed(world, { defaultAudience: THEIRS }, known)
      assert.deepEqual(await aliveOf(world.store, tokens), [resources.includes(SERVICE), true])
    }
  }
})

test('with any resource allowed nothing is lost, whatever the default and whatever is known of the service', async t => {
  const world = await makeAgentWorld(t, { resources: ['*'] })
  const tokens = await issue(world.store, world.agent, { audience: [SERVICE] }, { audience: [OURS] })
  for (const defaultAudience of [OURS, THEIRS, null]) await changed(world, { defaultAudience }, null)
  assert.deepEqual(await aliveOf(world.store, tokens), [true, true])
})

test('where the default audience of the service is not known, a change that hangs on it is refused and changes nothing', async t => {
  const world = await makeAgentWorld(t, { resources: [OURS, THEIRS] })
  const tokens = await issue(world.store, world.agent, { audience: [THEIRS] })
  assert.match(await refused(world, { resources: [OURS] }, null), /set MINTMARK_BASE_URL or MINTMARK_DEFAULT_AUDIENCE/)
  assert.deepEqual((await world.store.agents.show(world.agent.id))?.resources, [OURS, THEIRS])
  assert.deepEqual(await aliveOf(world.store, tokens), [true])
  // None of these hangs on it.
  await changed(world, { resources: [OURS, THEIRS, 'https://more.example'] }, null)
  await changed(world, { resources: [OURS], defaultAudience: OURS }, null)
  assert.deepEqual(await aliveOf(world.store, tokens), [false])
})

test('one change that takes scopes and resources ends each token once, for the first that it lost', async t => {
  const world = await makeAgentWorld(t, { scopes: ['db:*'], resources: [OURS, THEIRS] })
  const { store, agent } = world
  const wishes = [
    { scope: 'db:write', audience: [THEIRS] },
    { scope: 'db:read', audience: [THEIRS] },
    { scope: 'db:write', audience: [OURS] },
    { scope: 'db:read', audience: [OURS] },
  ]
  const tokens = await issue(store, agent, ...wishes)
  await changed(world, { scopes: ['db:read'], resources: [OURS] })
  assert.deepEqual(await aliveOf(store, tokens), [false, false, false, true])
  const reasons = new Map((await endingsOf(store, agent)).map(({ id, reason }) => [id, reason]))
  assert.deepEqual(
    tokens.map(({ id }) => reasons.get(id)),
    ['scope_removed', 'audience_removed', 'scope_removed', undefined],
  )
})

test('with more tokens than an act moves at once all that lost are dead at once, in another process too, and after a crash', async t => {
  const world = await makeAgentWorld(t, { scopes: ['db:*'] })
  const { store, agent, file } = world
  const elsewhere = await openElsewhere(t, world)
  const lost = await issue(store, agent, ...Array.from({ length: 70 }, () => ({ scope: 'db:write' })))
  const kept = await issue(store, agent, ...Array.from({ length: 70 }, () => ({ scope: 'db:read' })))
  await changed(world, { scopes: ['db:read'] })
  assert.equal(countRows(file, `cutoff where state = 'open'`), 1)
  for (const process of [store, elsewhere]) {
    assert.deepEqual(new Set(await aliveOf(process, lost)), new Set([false]))
    assert.deepEqual(new Set(await aliveOf(process, kept)), new Set([true]))
  }
  await elsewhere.close()
  const again = await world.reopen(KEEP_LONG)
  assert.deepEqual(new Set(await aliveOf(again.store, lost)), new Set([false]))
  assert.equal((await endingsOf(again.store, agent)).length, 70)
  await again.store.close()
})

test('a token that was decided on before a change is decided on again after it, wherever the change was made', async t => {
  const changes: readonly AgentChange[] = [
    { scopes: ['db:read'] },
    { resources: [OURS] },
    { defaultScope: ['db:write'] },
    { defaultAudience: OURS },
    { lifetimeSeconds: 60 },
  ]
  for (const change of changes) {
    const world = await makeAgentWorld(t)
    const { agent } = world
    const elsewhere = await openElsewhere(t, world)
    await elsewhere.agents.viewForIssue([agent.clientId], 'cached')
    const raced = await newTokens(elsewhere, agent, [{}])
    await changed(world, change)
    assert.deepEqual(await elsewhere.ledger.insert(raced), ['decide_again'], JSON.stringify(change))
    const [client] = (await elsewhere.agents.viewForIssue([agent.clientId], 'cached')).clients
    assert.deepEqual({ ...client?.agent, ...change }, client?.agent)
  }
})

test('a change that ends nothing takes a number all the same: who remembers the agent then forgets it', async t => {
  const world = await makeAgentWorld(t, { resources: [OURS] })
  const before = seqOf(world)
  await changed(world, { name: 'new', description: 'what it does', owner: 'data', labels: { team: 'a' } })
  await changed(world, { scopes: ['db:*', 'log:write'], resources: [OURS, THEIRS] })
  assert.equal(seqOf(world), before + 2)
})

test('the audit holds what changed before and after, and the numbers of what ended', async t => {
  const world = await makeAgentWorld(t, { scopes: ['db:*'], owner: 'data' })
  await changed(world, { scopes: ['db:read'], owner: null, name: 'new' })
  const select = `select subject, request_id, detail from audit where kind = 'agent.change' order by n`
  const { subject, request_id, detail } = readRow(world.file, select)
  assert.deepEqual([subject, request_id], [world.agent.id, 'test-request'])
  const seq = seqOf(world)
  assert.deepEqual(JSON.parse(String(detail)), {
    before: { name: `agent ${world.agent.id}`, owner: 'data', scope: 'db:*' },
    after: { name: 'new', owner: null, scope: 'db:read' },
    ended: { scope_removed: seq },
  })
})

test('the audit of a disabling and of an enabling holds the time before and after', async t => {
  const world = await makeAgentWorld(t)
  const { id } = world.agent
  await world.store.agents.disable(id, act('agent.disable'))
  const seq = seqOf(world)
  await world.store.agents.enable(id, act('agent.enable'))
  const select = `select detail from audit where kind in ('agent.disable', 'agent.enable') order by n`
  const details = readRows(world.file, select).map(({ detail }) => JSON.parse(String(detail)) as unknown)
  const [enabled, disabled] = [{ disabled_at: null }, { disabled_at: '2026-11-21T09:30:00.000Z' }]
  assert.deepEqual(details, [
    { before: enabled, after: disabled, seq },
    { before: disabled, after: enabled },
  ])
})
