// Commands with --url and an operator's JWT, in place of an API key.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'
import { makeFolder, runAside } from '../../../../testkit/commands/run-mintmark.ts'

let service: TestServer

before(async () => {
  service = await startServer()
})

after(() => service.close())

test('introspection by an operator’s JWT names the variable that it lacks', async t => {
  const folder = makeFolder(t)
  const jwt = await service.provider.operatorJwt({ role: 'mintmark-admin' })
  const variables = { MINTMARK_OPERATOR_JWT: jwt, MINTMARK_URL: service.baseUrl }
  const { status, stdout, stderr } = await runAside(folder, ['token', 'introspect'], { variables, input: 'a.b.c' })
  assert.deepEqual([status, stdout], [4, ''])
  const needed =
    'Introspection takes an API key with the permission tokens:introspect, and no JWT of an operator: set MINTMARK_API_KEY to such a key, or give --api-key-file.\n'
  assert.ok(stderr.startsWith('mintmark: ') && stderr.endsWith(needed), stderr)
})

test('with a JWT and an API key in the environment introspection goes with the key, and everything else with the JWT', async t => {
  const folder = makeFolder(t)
  const jwt = await service.provider.operatorJwt({ role: 'mintmark-operator', sub: 'both' })
  const { key } = await service.createApiKey('tokens:introspect')
  const variables = { MINTMARK_OPERATOR_JWT: jwt, MINTMARK_API_KEY: key, MINTMARK_URL: service.baseUrl }
  const introspected = await runAside(folder, ['token', 'introspect', '--json'], { variables, input: 'a.b.c' })
  assert.equal(introspected.stdout, '{"active":false}\n', introspected.stderr)
  const listed = await runAside(folder, ['agent', 'list', '--json'], { variables })
  assert.equal(listed.status, 0, listed.stderr)
})

test('an operator’s JWT is taken from the environment, a file and standard input, and the audit names the operator', async t => {
  const folder = makeFolder(t)
  const { agentId } = await service.createAgent()
  const jwt = await service.provider.operatorJwt({ role: 'mintmark-operator', sub: 'alice' })
  writeFileSync(join(folder, 'jwt'), `${jwt}\n`)
  const disable = ['agent', 'disable', agentId, '--yes', '--json', '--url', service.baseUrl]
  const ways = [
    runAside(folder, disable, { variables: { MINTMARK_OPERATOR_JWT: jwt } }),
    runAside(folder, disable, { variables: { MINTMARK_OPERATOR_JWT_FILE: 'jwt' } }),
    runAside(folder, [...disable, '--jwt-file', 'jwt']),
    runAside(folder, [...disable, '--jwt-file', '-'], { input: jwt }),
  ]
  for (const { status, stdout, stderr } of await Promise.all(ways)) {
    assert.equal(status, 0, stderr)
    assert.ok(!stdout.includes(jwt))
  }
  const list = ['audit', 'list', '--kind', 'agent.disable', '--json', '--url', service.baseUrl, '--jwt-file', 'jwt']
  const { data } = JSON.parse((await runAside(folder, list)).stdout) as { readonly data: readonly { actor: object }[] }
  assert.deepEqual(
    data.map(({ actor }) => actor),
    [{ type: 'operator', iss: service.provider.issuer, sub: 'alice' }],
  )
})

test('a role that does not suffice, and a JWT that has expired, exit with 4 and print nothing of the JWT', async t => {
  const folder = makeFolder(t)
  const { agentId } = await service.createAgent()
  const viewer = await service.provider.operatorJwt({ role: 'mintmark-viewer' })
  const expired = await service.provider.operatorJwt({ role: 'mintmark-admin', exp: 1 })
  for (const [jwt, message] of [
    [viewer, /^mintmark: The subject of this JWT has no role that may stop agents: it needs operator or admin\.\n$/],
    [expired, /^mintmark: .*JWT/],
  ] as const) {
    const args = ['agent', 'disable', agentId, '--yes', '--url', service.baseUrl, '--jwt-file', '-']
    const { status, stdout, stderr } = await runAside(folder, args, { input: jwt })
    assert.deepEqual([status, stdout], [4, ''], stderr)
    assert.match(stderr, message)
    assert.ok(!stderr.includes(jwt))
  }
})
