// Names of agents in records that have only their ids: one look-up, and none that keeps a record from being shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LISTED_IDS_MAX } from '../../../../api/values/lists.ts'
import { describeAgentsIn } from '../../../src/cli/names/describe-agents.ts'
import type { Api } from '../../../src/cli/remote/api.ts'
import { CommandFailed, EXIT } from '../../../src/cli/terminal/exit.ts'

type Asked = { readonly query: { readonly agent_id: readonly string[] } }

const idAt = (n: number): string => `6f1d7c1e-4f5a-4c63-9d0f-${String(n).padStart(12, '0')}`

const asking = (answer: (id: string) => object) => {
  const asked: (readonly string[])[] = []
  const call = async (_row: unknown, { query: { agent_id: ids } }: Asked) => {
    asked.push(ids)
    return { data: ids.map(id => ({ agent_id: id, ...answer(id) })) }
  }
  return { api: { call } as unknown as Api, asked }
}

test('a record is described by one look-up of the agents that it names, as many as a request takes', async () => {
  const { api, asked } = asking(id => ({ name: `n${Number(id.slice(-3))}`, owner: null }))
  const entries = Array.from({ length: LISTED_IDS_MAX + 1 }, (_, n) => idAt(n))
  const shown = await describeAgentsIn(api, { acts_for: ['*', ...entries, idAt(0)], note: idAt(1) })
  const named = entries.map((id, n) => (n < LISTED_IDS_MAX ? `${id} (n${n})` : id))
  assert.deepEqual(shown, { acts_for: ['*', ...named, named[0]], note: idAt(1) })
  assert.deepEqual(asked, [entries.slice(0, LISTED_IDS_MAX)])
})

test('a record with names of its own, or with a secret, asks nothing', async () => {
  const { api, asked } = asking(() => ({ name: 'n', owner: null }))
  for (const more of [{ agent_name: null }, { client_secret: 's' }, { name: 'n', owner: null }]) {
    const record = { agent_id: idAt(0), ...more }
    assert.deepEqual(await describeAgentsIn(api, record), record)
  }
  assert.deepEqual(asked, [])
})

test('a caller who may not read agents sees the record as it is; another fault is thrown', async () => {
  const record = { agent_id: idAt(0) }
  const failing = (fault: Error) => describeAgentsIn(asking(() => assert.fail(fault)).api, record)
  const refused = new CommandFailed('This API key lacks the permission agents:read.', EXIT.unauthorized)
  assert.deepEqual(await failing(refused), record)
  await assert.rejects(failing(new TypeError('a defect')), /a defect/)
})
