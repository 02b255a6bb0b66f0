// Agents by label: each filter finds those that carry just this label, whatever stands in the texts of others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Labels } from '../../../../api/values/labels.ts'
import { EVERY_AGENT } from '../../../src/operations/agents/read-agents.ts'
import { createAgent, makeTestStore } from '../../../../testkit/stores/store.ts'

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
    const filters = { ...EVERY_AGENT, labels: [{ key: 'team', value }] }
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
