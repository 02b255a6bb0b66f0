// The names and owners of agents beside their ids, in the tables and records that people see.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { idOf, issue, makeBoth, startServing } from '../../../../testkit/commands/serving.ts'
import type { Api } from '../../../src/cli/remote/api.ts'
import { nameAgents } from '../../../src/cli/names/agent-names.ts'
import { CommandFailed, EXIT } from '../../../src/cli/terminal/exit.ts'

const serving = await startServing({ after })

type Agent = Parameters<typeof issue>[1]

const createNamed = (name: string, owner: string): Agent =>
  serving.json(
    'agent',
    'create',
    '--name',
    name,
    '--owner',
    owner,
    '--scope',
    'db:read',
    '--default-scope',
    'db:read',
  ) as Agent

test('what a person is asked names the agent with its owner, on the store and by --url', async t => {
  const { both } = makeBoth(t, serving, 'agents:read', 'agents:write', 'tokens:read', 'tokens:revoke')
  const agent = createNamed('reports', 'Ada')
  const id = idOf((await issue(serving, agent)).body['access_token'])
  for (const args of [
    ['agent', 'disable', agent.agent_id],
    ['agent', 'delete', 'reports'],
  ]) {
    for (const { status, stderr } of await both(args)) {
      assert.equal(status, 2)
      assert.match(stderr, new RegExp(`^mintmark: This \\w+ the agent ${agent.agent_id} \\(reports, owner Ada\\) `))
    }
  }
  const [asked] = await both(['token', 'revoke', id])
  assert.ok(asked.stderr.includes(`of agent ${agent.agent_id} (reports, owner Ada).`), asked.stderr)
})

test('as JSON records stay as the API answers them, and a caller who may not read agents sees the ids alone', async t => {
  const { both, runThere } = makeBoth(t, serving, 'tokens:read')
  const agent = createNamed('invoices', 'Grace')
  const id = idOf((await issue(serving, agent)).body['access_token'])
  const [here, there] = await both(['token', 'show', id, '--json'])
  assert.equal(here.stdout, there.stdout)
  assert.ok(!here.stdout.includes('invoices'), here.stdout)
  const { status, stdout } = await runThere(['token', 'list', '--agent', agent.agent_id])
  assert.equal(status, 0)
  assert.ok(stdout.includes(agent.agent_id) && !stdout.includes('invoices'), stdout)
})

test('an API key that acted is named beside its id, for a caller who may read keys', async t => {
  const named = makeBoth(t, serving, 'agents:write', 'agents:read', 'audit:read', 'keys:write')
  const agent = createNamed('acted-on', 'Grace')
  assert.equal((await named.runThere(['agent', 'change', agent.agent_id, '--description', 'changed'])).status, 0)
  const { name } = serving.json('api-key', 'show', named.keyId) as { readonly name: string }
  const args = ['audit', 'list', '--subject', agent.agent_id, '--kind', 'agent.change']
  for (const { stdout } of await named.both(args)) {
    assert.ok(stdout.replaceAll(/\s+/g, ' ').includes(`api_key ${named.keyId} (${name})`), stdout)
  }
  const unnamed = makeBoth(t, serving, 'audit:read', 'agents:read')
  const { status, stdout } = await unnamed.runThere(args)
  assert.equal(status, 0)
  assert.ok(stdout.includes(named.keyId) && stdout.includes('acted-on') && !stdout.includes(`(${name})`), stdout)
})

test('an agent that was deleted has no name, and its history is shown all the same', async t => {
  const { both } = makeBoth(t, serving, 'agents:read', 'tokens:read')
  const agent = createNamed('short-lived', 'Alan')
  const id = idOf((await issue(serving, agent)).body['access_token'])
  serving.json('agent', 'delete', agent.agent_id, '--yes')
  for (const { status, stdout } of await both(['token', 'history', '--agent', agent.agent_id])) {
    assert.equal(status, 0)
    assert.ok(stdout.includes(id) && !stdout.includes('short-lived'), stdout)
  }
})

test('a name of 100 emoji, and one that turns the direction of writing, harm no table', async t => {
  const { both } = makeBoth(t, serving, 'agents:read', 'tokens:read')
  for (const name of ['\u{1F916}'.repeat(100), 'שלום עולם']) {
    const agent = createNamed(name, 'Ada')
    const id = idOf((await issue(serving, agent)).body['access_token'])
    for (const { status, stdout } of await both(['token', 'list', '--agent', agent.agent_id])) {
      assert.equal(status, 0)
      assert.ok(stdout.includes(name) && stdout.includes(id), stdout)
    }
  }
})

test('all agents of a table are looked up together, a hundred with a request, and after a refusal no other is', async () => {
  const ids = Array.from({ length: 300 }, (_, n) => `6f1d7c1e-4f5a-4c63-9d0f-${String(n % 150).padStart(12, '0')}`)
  const asking = (answer: (id: string) => Record<string, unknown>) => {
    const asked: number[] = []
    const call = (_row: unknown, { query }: { readonly query: { readonly agent_id: readonly string[] } }) => {
      asked.push(query.agent_id.length)
      return Promise.resolve().then(() => ({ data: query.agent_id.map(id => ({ agent_id: id, ...answer(id) })) }))
    }
    return { api: { call } as unknown as Api, asked }
  }
  const records = ids.map(agent_id => ({ agent_id }))
  const named = asking(id => ({ name: `n${id.at(-1) ?? ''}`, owner: null }))
  const [first] = await nameAgents(named.api, records)
  assert.deepEqual([named.asked, first], [[100, 50], { agent_id: ids[0], agent: 'n0', owner: null }])
  const refused = asking(() => {
    throw new CommandFailed('This API key lacks the permission agents:read.', EXIT.unauthorized)
  })
  assert.deepEqual(await nameAgents(refused.api, records), records)
  assert.deepEqual(refused.asked, [100])
})

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

test('agent change to supersede warns where others hold tokens that they got for its tokens', async t => {
  const { runHere } = makeBoth(t, serving, 'agents:read')
  const agent = createNamed('superseding', 'Ada')
  const supersede = ['agent', 'change', 'superseding', '--live-tokens-max', '5', '--at-live-tokens-max', 'supersede']
  const alone = await runHere(supersede)
  assert.deepEqual([alone.status, /other agents got/.test(alone.stdout)], [0, false], alone.stderr)
  const token = String((await issue(serving, agent)).body['access_token'])
  const relay = serving.json(
    'agent',
    'create',
    '--name',
    'relay',
    '--scope',
    'db:read',
    '--grant-type',
    EXCHANGE,
    '--acts-for',
    '*',
    '--receives',
    serving.url,
  ) as Agent
  const answer = await fetch(`${serving.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: EXCHANGE,
      subject_token: token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      client_id: relay.client_id,
      client_secret: relay.client_secret,
    }),
  })
  assert.equal(answer.status, 200, await answer.clone().text())
  const { status, stdout } = await runHere(supersede)
  assert.equal(status, 0)
  assert.match(stdout, /^Tokens that other agents got for tokens of this one: 1\. /m)
})
