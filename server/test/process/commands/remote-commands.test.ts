// Commands with --url: the same answers as on the store itself, with the credential of the user who runs them; and exit codes.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { freePorts, makeFolder, run, runAlone, runAside } from '../../../../testkit/commands/run-mintmark.ts'
import { createAgent, idOf, issue, makeBoth, startServing } from '../../../../testkit/commands/serving.ts'

const serving = await startServing({ after })
const { url } = serving

test('a command answers the same on the store and by --url: a record, a list, a refusal, a count', async t => {
  const { both } = makeBoth(t, serving, 'agents:read', 'agents:write')
  const { agent_id } = createAgent(serving)
  for (const args of [
    ['agent', 'list', '--json'],
    ['agent', 'show', agent_id],
    ['agent', 'show', 'nobody'],
    ['agent', 'disable', agent_id],
  ]) {
    const [here, there] = await both(args)
    assert.deepEqual(there, here, args.join(' '))
  }
})

test('a token is introspected on the store and by --url, with exit code 3 once it has ended', async t => {
  const { both } = makeBoth(t, serving, 'tokens:introspect')
  const agent = createAgent(serving)
  serving.json('agent', 'change', agent.agent_id, '--claims', '{"urn:acme:tier":2}')
  const token = String((await issue(serving, agent)).body['access_token'])
  for (const { status, stdout, stderr } of await both(['token', 'introspect', '--json'], `${token}\n`)) {
    assert.equal(status, 0, stderr)
    const { jti, 'urn:acme:tier': tier } = JSON.parse(stdout) as Record<string, unknown>
    assert.deepEqual([jti, tier], [idOf(token), 2])
  }
  serving.json('agent', 'disable', agent.agent_id, '--yes')
  for (const ended of await both(['token', 'introspect', '--json'], '', { MINTMARK_TOKEN: token })) {
    assert.deepEqual(ended, {
      status: 3,
      stdout: '{"active":false}\n',
      stderr: '{"error":"not_active","error_description":"The token is not active."}\n',
    })
  }
})

test('an act by --url holds, and the audit names whose credential it was; one without the right exits with 4', async t => {
  const { key, keyId, elsewhere } = makeBoth(t, serving, 'agents:write')
  const { agent_id } = createAgent(serving)
  const disable = ['agent', 'disable', agent_id, '--yes', '--json', '--url', url, '--api-key-file', '-']
  const disabled = await runAside(elsewhere, disable, { input: key })
  assert.equal(disabled.status, 0, disabled.stderr)
  const { data } = serving.json('audit', 'list', '--kind', 'agent.disable', '--subject', agent_id) as {
    data: Record<string, unknown>[]
  }
  assert.deepEqual(
    data.map(({ actor, subject }) => ({ actor, subject })),
    [{ actor: { type: 'api_key', id: keyId, name: 'ops' }, subject: agent_id }],
  )
  const weak = await runAside(elsewhere, ['agent', 'list', '--url', url], { variables: { MINTMARK_API_KEY: key } })
  assert.deepEqual(weak, {
    status: 4,
    stdout: '',
    stderr: 'mintmark: This API key lacks the permission agents:read.\n',
  })
  const nobody = { MINTMARK_OPERATOR_JWT: 'nobody' }
  const unknown = await runAside(elsewhere, ['agent', 'list', '--url', url], { variables: nobody })
  assert.deepEqual([unknown.status, unknown.stdout], [4, ''])
})

test('a command without a terminal and without --yes ends nothing, says what it would end, and exits with 2', async () => {
  const agent = createAgent(serving)
  const token = String((await issue(serving, agent)).body['access_token'])
  const { data } = serving.json('credential', 'list', agent.agent_id) as { data: { credential_id: string }[] }
  const credential = data[0]?.credential_id ?? ''
  const id = agent.agent_id
  const ASKED: readonly (readonly [readonly string[], RegExp])[] = [
    [['agent', 'disable', id], /every token that it holds: 1 alive now\./],
    [['agent', 'delete', id], /every token that it holds: 1 alive now\./],
    [
      ['agent', 'change', id, '--no-default-scope', '--scope', 'db:write'],
      /tokens of agent .* \(scope_removed\): 1 alive now\./,
    ],
    [
      ['agent', 'change', id, '--default-audience', 'https://own.example'],
      /This ends tokens of agent .* \(audience_removed\): 1 alive now\./,
    ],
    [
      ['credential', 'revoke', id, credential],
      /the credential [\w-]{36} \(.+\) of the agent [\w-]{36} \(.+\) from now on and ends every token that it got: 1 alive now\./,
    ],
    [['token', 'revoke', idOf(token)], /1 token, active, of agent/],
    [['revocation', 'create', '--all'], /This ends every token: 1 alive now\./],
  ]
  for (const [args, message] of ASKED) {
    const { status, stdout, stderr } = run(serving.folder, args)
    assert.deepEqual([status, stdout], [2, ''], stderr)
    assert.match(stderr, message)
    assert.match(stderr, /run it again with --yes\.\n$/)
  }
  const { state } = serving.json('token', 'show', idOf(token)) as { readonly state: string }
  assert.equal(state, 'active')
})

test('a changed default audience is asked about, and the tokens for the one before are counted', async () => {
  const OWN = 'https://own.example'
  const agent = createAgent(serving)
  const change = ['agent', 'change', agent.agent_id]
  serving.json(...change, '--default-audience', OWN, '--yes')
  assert.equal((await issue(serving, agent)).status, 200)
  const asked = (...options: readonly string[]): string => {
    const { status, stderr } = run(serving.folder, [...change, ...options], { MINTMARK_BASE_URL: url })
    return `${status} ${stderr}`
  }
  assert.match(asked('--default-audience', 'https://other.example'), /^2 .* \(audience_removed\): 1 alive now\./)
  assert.match(asked('--no-default-audience'), /^2 .* \(audience_removed\): 1 alive now\./)
  // It stays among those that the agent may ask for, so nothing ends and nothing is asked.
  assert.match(asked('--default-audience', 'https://other.example', '--resource', OWN), /^0 $/)
})

test('nobody who listens is unreachable, with exit code 5', async t => {
  const [port] = await freePorts()
  const variables = { MINTMARK_URL: `http://127.0.0.1:${port}`, MINTMARK_API_KEY: 'key' }
  const { status, stdout, stderr } = runAlone(makeFolder(t), ['agent', 'list'], variables)
  assert.deepEqual([status, stdout], [5, ''])
  assert.match(
    stderr,
    /^mintmark: http:\/\/127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED .*Nothing was sent, and nothing changed\.\n$/,
  )
})

test('a usage that cannot be meant ends with 2: no credential, two of them, one without a URL, http elsewhere, a local command', t => {
  const folder = makeFolder(t)
  const URL = ['--url', 'https://auth.example.com']
  const USAGES: readonly (readonly [readonly string[], RegExp])[] = [
    [['agent', 'list', ...URL], /a credential is needed/],
    [['agent', 'list', ...URL, '--jwt-file', 'a', '--api-key-file', 'b'], /cannot be used with/],
    [['agent', 'list', '--api-key-file', 'a'], /name it with --url/],
    [['agent', 'list', '--url', 'http://auth.example.com'], /is http; expected https/],
    [['leaked-secrets', ...URL, '--api-key', 'mma_x'], /unknown option/],
    [['audit', 'verify', ...URL], /works on the store of this machine/],
    [['migrate', ...URL], /works on the store of this machine/],
    [['serve', ...URL], /works on the store of this machine/],
    [['clock', 'reset', '--yes', ...URL], /works on the store of this machine/],
    [['dev', ...URL], /works on the store of this machine/],
    [['dev-token', ...URL], /works on the store of this machine/],
  ]
  for (const [args, message] of USAGES) {
    const { status, stdout, stderr } = run(folder, args)
    assert.deepEqual([status, stdout], [2, ''], `${args.join(' ')}: ${stderr}`)
    assert.match(stderr, message)
  }
})
