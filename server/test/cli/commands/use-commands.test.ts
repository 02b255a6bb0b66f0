// mintmark usage, run as a person runs it: where tokens were used, and which of them after their end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimsOf, introspect, issue, revoke } from '../../../../testkit/callers/requests.ts'
import { makeFolder, runAside } from '../../../../testkit/commands/run-mintmark.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const service = useService()
const agent = service.agent({ name: 'reports', owner: 'Ada' })
const orders = service.apiKey('tokens:introspect')

test('usage names agents and API keys, and with --after-end the tokens that were used after their end', async t => {
  const token = await issue(service, agent)
  await introspect(service, orders.key, token)
  await revoke(service, token)
  await introspect(service, orders.key, token)
  await service.settle()
  const variables = { MINTMARK_OPERATOR_JWT: await service.provider.operatorJwt() }
  const folder = makeFolder(t)
  const ask = async (...args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await runAside(folder, ['usage', '--url', service.origin, ...args], {
      variables,
    })
    assert.equal(status, 0, stderr)
    return stdout
  }
  const [heading = '', line = ''] = (
    await ask('--agent', 'reports', '--through', orders.id, '--since', '2020-01-01T00:00:00.000Z')
  ).split('\n')
  assert.match(
    heading,
    /^minute +agent_id +agent_name +owner +api_key_name +outside_audiences +introspections +active /,
  )
  assert.match(line, /^\S+Z +[0-9a-f-]{36} +reports +Ada +tokens:introspect +false +2 +1 +1 +0 /)
  const id = String(claimsOf(token)['jti'])
  assert.match(
    await ask('--after-end'),
    new RegExp(`^${id} +[0-9a-f-]{36} +reports +Ada +tokens:introspect +false +false +1 `, 'm'),
  )
  const { data } = JSON.parse(await ask('--token-id', id, '--json')) as { data: readonly { token_id: string }[] }
  assert.deepEqual(
    data.map(({ token_id: found }) => found),
    [id],
  )
  assert.deepEqual(JSON.parse(await ask('--before', '2020-01-01T00:00:00.000Z', '--json')), {
    data: [],
    next_cursor: null,
  })
})
