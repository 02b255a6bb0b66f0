// The names and owners of agents beside their ids, in the tables and records that people see.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { idOf, issue, makeBoth, startServing } from '../../../../testkit/commands/serving.ts'

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

test('as JSON records are those of the API, on the store and by --url', async t => {
  const { both } = makeBoth(t, serving, 'tokens:read', 'agents:read')
  const agent = createNamed('invoices', 'Grace')
  const id = idOf((await issue(serving, agent)).body['access_token'])
  const [here, there] = await both(['token', 'show', id, '--json'])
  assert.equal(here.stdout, there.stdout)
  assert.ok(here.stdout.includes('"agent_name":"invoices","owner":"Grace"'), here.stdout)
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
  assert.match(stdout, /^Tokens on behalf of this agent that other agents hold: 1\. /m)
})
