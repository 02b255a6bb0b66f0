// mintmark audit list --subject with a token: the act that ended it, on itself or on what it hangs on.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAgent, idOf, issue, makeBoth, startServing } from '../../../../testkit/commands/serving.ts'

const serving = await startServing({ after })

type Act = { readonly kind: string; readonly subject: string }

test('the act that ended a token is found by its id or its text, also where it was on something else', async t => {
  const { both } = makeBoth(t, serving, 'tokens:read', 'audit:read')
  const { json } = serving
  const actsOf = async (subject: string, input = ''): Promise<readonly (readonly Act[])[]> =>
    (await both(['audit', 'list', '--subject', subject, '--json'], input)).map(
      ({ stdout }) => (JSON.parse(stdout) as { data: Act[] }).data,
    )
  const ended = async (end: (agentId: string, tokenId: string) => unknown, kind: string): Promise<void> => {
    const agent = createAgent(serving)
    const token = String((await issue(serving, agent)).body['access_token'])
    end(agent.agent_id, idOf(token))
    for (const acts of [...(await actsOf(idOf(token))), ...(await actsOf('-', token))]) {
      assert.deepEqual(
        acts.map(act => act.kind),
        [kind],
      )
    }
  }
  await ended((_agent, token) => json('token', 'revoke', token, '--yes'), 'token.revoke')
  await ended(agent => json('agent', 'disable', agent, '--yes'), 'agent.disable')
  await ended(agent => json('agent', 'delete', agent, '--note', 'gone', '--yes'), 'agent.delete')
  await ended(agent => json('revocation', 'create', '--agent', agent, '--yes'), 'revocation.create')
})

test('other filters hold too: an act outside of the times that are asked for is not shown', async t => {
  const { runHere } = makeBoth(t, serving, 'tokens:read')
  const token = String((await issue(serving, createAgent(serving))).body['access_token'])
  serving.json('token', 'revoke', idOf(token), '--yes')
  const shown = async (...filters: readonly string[]): Promise<number> => {
    const { stdout } = await runHere(['audit', 'list', '--subject', idOf(token), '--json', ...filters])
    return (JSON.parse(stdout) as { data: Act[] }).data.length
  }
  assert.equal(await shown('--since', '1h', '--before', '2099-01-01'), 1)
  for (const [option = '', value = ''] of [
    ['--since', '2099-01-01'],
    ['--before', '1h'],
    ['--kind', 'agent.disable'],
  ])
    assert.equal(await shown(option, value), 0, option)
})

test('a token that lives has no act that ended it', async t => {
  const { runHere } = makeBoth(t, serving, 'tokens:read')
  const token = String((await issue(serving, createAgent(serving))).body['access_token'])
  const { stdout, status } = await runHere(['audit', 'list', '--subject', idOf(token), '--json'])
  assert.deepEqual([status, (JSON.parse(stdout) as { data: Act[] }).data], [0, []])
})
