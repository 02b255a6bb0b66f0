// What was typed into a field that takes an agent: which agent it means, or what else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentRecord } from '../../packages/client/src/index.ts'
import { meantBy } from '../src/reading/meant-agent.ts'

const agents = (...names: readonly string[]): readonly AgentRecord[] =>
  names.map(name => ({ name, agent_id: `id of ${name}` }) as AgentRecord)

const SEVERAL = { wrong: 'Several agents have this: choose one of the list.' }

test('an agent is meant by its whole name, or by a part that no other has', () => {
  for (const isAgent of [true, 'maybe', 'or_subject'] as const) {
    assert.deepEqual(meantBy('reports', isAgent, agents('my reports', 'reports')), { id: 'id of reports' })
    assert.deepEqual(meantBy('rep', isAgent, agents('reports')), { id: 'id of reports' })
    assert.deepEqual(meantBy('rep', isAgent, agents('reports', 'my reports')), SEVERAL)
  }
})

test('what no agent has is refused, or is an id of something else', () => {
  assert.deepEqual(meantBy('acme:x', true, []), { wrong: 'No agent has this in its name, owner or labels.' })
  assert.deepEqual(meantBy('0123', 'maybe', []), { id: '0123' })
})

test('ALIAS:SUB is a subject of an issuer unless an agent has just this name', () => {
  for (const found of [[], agents('acme:alice two'), agents('acme:alice two', 'acme:alice three')])
    for (const isAgent of ['maybe', 'or_subject'] as const)
      assert.deepEqual(meantBy('acme:alice', isAgent, found), { id: 'acme:alice' })
  assert.deepEqual(meantBy('acme:alice', 'or_subject', agents('acme:alice two', 'acme:alice')), {
    id: 'id of acme:alice',
  })
  const wrong = 'No agent has this in its name, owner or labels, and a subject of an issuer is ALIAS:SUB.'
  for (const text of ['alice', 'Acme:alice', 'acme:', 'acme:a b'])
    assert.deepEqual(meantBy(text, 'or_subject', []), { wrong })
})
