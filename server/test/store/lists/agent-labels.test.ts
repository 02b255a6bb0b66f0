// Agents by label and by grant: each filter finds those that carry just this label, whatever stands in the texts of others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import type { Labels } from '../../../../api/values/labels.ts'
import type { AgentMarks } from '../../../src/domain/ledger/selection.ts'
import { AGENTS_SELECTED_MAX } from '../../../../api/values/lists.ts'
import { act, createAgent, makeTestStore, NO_AGENT_FILTERS } from '../../../../testkit/stores/store.ts'

const NO_MARKS = { owner: null, labels: null, agentName: null }

test('agents are selected for lists by all marks together, deleted ones by the last that they had', async t => {
  const { store, dispose } = await makeTestStore(null)
  t.after(dispose)
  const create = async (name: string, owner: string | null, labels: Labels): Promise<number> => {
    const { id, clientId } = await createAgent(store, null, { name, owner, labels })
    const [client] = (await store.agents.viewForIssue([clientId], 'fresh')).clients
    if (name.startsWith('gone')) await store.agents.delete(id, act('agent.delete'))
    return client?.number ?? 0
  }
  const kept = await create('one', 'Ada', { team: 'a', env: 'x' })
  const other = await create('two', 'Ada', { team: 'b' })
  const gone = await create('gone', 'Ada', { team: 'a' })
  const reused = await create('gone', 'Bob', {})
  const [team, env] = [
    { key: 'team', value: 'a' },
    { key: 'env', value: 'x' },
  ]
  const cases: readonly (readonly [marks: Partial<AgentMarks>, kept: readonly number[], ever: readonly number[]])[] = [
    [{ owner: 'Ada' }, [kept, other], [kept, other, gone]],
    [{ labels: [team] }, [kept], [kept, gone]],
    [{ labels: [team, env] }, [kept], [kept]],
    [{ owner: 'Ada', labels: [{ key: 'team', value: 'b' }] }, [other], [other]],
    [{ agentName: 'one' }, [kept], [kept]],
    [{ agentName: 'on' }, [], []],
    [{ agentName: 'gone' }, [], [gone, reused]],
    [{ agentName: 'gone', owner: 'Bob' }, [], [reused]],
  ]
  for (const [marks, ofKept, ofEver] of cases) {
    const asked = { ...NO_MARKS, ...marks }
    assert.deepEqual(await store.ledger.selectAgents(asked, 'kept'), ofKept, JSON.stringify(marks))
    assert.deepEqual(await store.ledger.selectAgents(asked, 'ever'), ofEver, JSON.stringify(marks))
  }
})

test('no more agents are selected than AGENTS_SELECTED_MAX', async t => {
  const { store, dispose } = await makeTestStore(null)
  t.after(dispose)
  const create = () => createAgent(store, null, { owner: 'Ada' })
  await Promise.all(Array.from({ length: AGENTS_SELECTED_MAX }, create))
  const select = () => store.ledger.selectAgents({ ...NO_MARKS, owner: 'Ada' }, 'ever')
  assert.equal((await select()).length, AGENTS_SELECTED_MAX)
  await create()
  assert.equal(await select(), 'too_many_agents')
})

test('an agent is found by a label that it carries, and by no text that looks like one', async t => {
  const { store, dispose } = await makeTestStore(null)
  t.after(dispose)
  const carried: readonly (readonly [name: string, labels: Labels])[] = [
    ['exact', { team: 'a' }],
    ['among others', { env: 'x', team: 'a', zone: 'y' }],
    ['longer value', { team: 'ab' }],
    ['longer key', { 'my-team': 'a' }],
    ['other case', { team: 'A' }],
    ['in a value', { note: '"team":"a"', other: '{"team":"a"}' }],
    ['quoted', { team: 'say "a"' }],
    ['backslash', { team: 'a\\' }],
    ['percent', { team: '%' }],
    ['not ASCII', { team: 'é🙂' }],
  ]
  for (const [name, labels] of carried) await createAgent(store, null, { name, labels })
  const foundBy = async (value: string): Promise<readonly string[]> => {
    const filters = { ...NO_AGENT_FILTERS, labels: [{ key: 'team', value }] }
    const { records } = await store.agents.list({ filters, after: null, limit: 20 })
    return records.map(({ name }) => name)
  }
  assert.deepEqual(await foundBy('a'), ['among others', 'exact'])
  for (const [name, value] of [
    ['quoted', 'say "a"'],
    ['backslash', 'a\\'],
    ['percent', '%'],
    ['not ASCII', 'é🙂'],
  ] as const) {
    assert.deepEqual(await foundBy(value), [name])
  }
})

test('an agent is found by a grant that it may use', async t => {
  const { store, dispose } = await makeTestStore(null)
  t.after(dispose)
  for (const [name, grantTypes] of [
    ['acts alone', [CLIENT_CREDENTIALS]],
    ['acts for others', [TOKEN_EXCHANGE]],
    ['does both', [CLIENT_CREDENTIALS, TOKEN_EXCHANGE]],
  ] as const) {
    await createAgent(store, null, { name, grantTypes, description: TOKEN_EXCHANGE })
  }
  const filters = { ...NO_AGENT_FILTERS, grantType: TOKEN_EXCHANGE } as const
  const { records } = await store.agents.list({ filters, after: null, limit: 20 })
  assert.deepEqual(
    records.map(({ name }) => name),
    ['acts for others', 'does both'],
  )
})
