// Commands that act on the store while the service runs: what they change holds in the service from their exit code on.
import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { after, test } from 'node:test'
import { fetchDescribed } from '../../../../testkit/services/fetch-described.ts'
import { createAgent, createApiKey, introspect, issue, startServing } from '../../../../testkit/commands/serving.ts'

const serving = await startServing({ after })

test('an agent disabled by the command gets no token, and what it held is inactive and in history by that user', async () => {
  const agent = createAgent(serving)
  const apiKey = createApiKey(serving)
  const { access_token } = (await issue(serving, agent)).body
  assert.equal((await introspect(serving, apiKey, access_token)).body['active'], true)
  serving.json('agent', 'disable', agent.agent_id, '--yes')
  assert.deepEqual((await introspect(serving, apiKey, access_token)).body, { active: false })
  assert.equal((await issue(serving, agent)).status, 401)
  const history = await fetchDescribed(`${serving.url}/api/v1/tokens/history`, {
    headers: { 'x-api-key': apiKey.api_key },
  })
  const { data } = (await history.json()) as { data: { termination_reason: string; ended_by: unknown }[] }
  assert.deepEqual(
    data.map(({ termination_reason, ended_by }) => ({ termination_reason, ended_by })),
    [{ termination_reason: 'agent_disabled', ended_by: { type: 'cli', id: userInfo().username } }],
  )
  serving.json('agent', 'enable', agent.agent_id)
  assert.equal((await issue(serving, agent)).status, 200)
  assert.deepEqual((await introspect(serving, apiKey, access_token)).body, { active: false })
})

test('an API key revoked by the command is refused from then on', async () => {
  const apiKey = createApiKey(serving)
  assert.deepEqual(await introspect(serving, apiKey, 'x'), { status: 200, body: { active: false } })
  serving.json('api-key', 'revoke', apiKey.api_key_id, '--yes')
  assert.equal((await introspect(serving, apiKey, 'x')).status, 401)
})
