// Who may do what to agents over HTTP: every kind of credential against every operation.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PERMISSIONS } from '../../src/domain/caller.ts'
import { AGENTS, type AgentsApi, makeAgentsApi } from '../support/agents-api.ts'
import { assertProblem, basic, bearer, issue, sendJson } from '../support/requests.ts'
import { startServer, type TestServer } from '../support/test-server.ts'

type Headers = Readonly<Record<string, string>>
type Operation = readonly [method: string, path: string, body?: unknown]

let service: TestServer
let api: AgentsApi
let agentId: string

before(async () => {
  service = await startServer()
  api = await makeAgentsApi(service)
  agentId = (await api.create()).agentId
})

after(() => service.close())

const READS = (): readonly Operation[] => [
  ['GET', ''],
  ['HEAD', ''],
  ['GET', `/${agentId}`],
  ['HEAD', `/${agentId}`],
]
const STOP = (): Operation => ['POST', `/${agentId}/disable`]
const WRITES = (): readonly Operation[] => [
  ['POST', '', { name: api.newName(), scope: 'db:read' }],
  ['PATCH', `/${agentId}`, { owner: api.newName() }],
  ['POST', `/${agentId}/enable`],
  ['DELETE', `/${agentId}`],
]

const call = ([method, path, body]: Operation, headers: Headers) =>
  sendJson(service, method, AGENTS + path, { body, headers })

const stateOf = async () => (await call(['GET', ''], api.reader)).json

/** Asserts the status of each operation, and that what is refused changes nothing. */
const assertRefused = async (operations: readonly Operation[], headers: Headers, status: number): Promise<void> => {
  const state = await stateOf()
  for (const operation of operations) {
    const answer = await call(operation, headers)
    assert.equal(answer.status, status, `${operation.join(' ')}: ${answer.text}`)
  }
  assert.deepEqual(await stateOf(), state)
}

const assertTaken = async (operations: readonly Operation[], headers: Headers): Promise<void> => {
  for (const operation of operations) {
    const { status, text } = await call(operation, headers)
    assert.ok(status >= 200 && status < 300, `${operation.join(' ')}: ${text}`)
  }
}

const operator = async (role: string): Promise<Headers> => bearer(await service.provider.operatorJwt({ role }))

test('no credential, a wrong one, an agent’s own, or a key as a password: 401, before anything else is looked at', async () => {
  const agent = await api.create({ default_scope: 'db:read' })
  const foreign = await service.provider.operatorJwt({ iss: 'https://elsewhere.example', role: 'mintmark-admin' })
  const credentials: readonly Headers[] = [
    {},
    { 'x-api-key': 'mma_wrong' },
    { 'x-api-key': agent.clientSecret },
    bearer(await issue(service, agent)),
    bearer(foreign),
    basic(agent.clientId, agent.clientSecret),
  ]
  for (const headers of credentials) {
    const malformed: Operation = ['POST', '', { name: 7 }]
    await assertRefused([...READS(), STOP(), ...WRITES(), malformed], headers, 401)
  }
})

test('two credentials at once: 400', async () => {
  const headers = { ...api.writer, ...(await operator('mintmark-admin')) }
  await assertRefused([...READS(), STOP(), ...WRITES()], headers, 400)
})

test('a revoked API key: 401', async () => {
  const { id, key } = await service.createApiKey('agents:write')
  await service.revokeApiKey(id)
  await assertRefused([STOP(), ...WRITES()], { 'x-api-key': key }, 401)
})

for (const permission of PERMISSIONS) {
  test(`an API key with ${permission} alone may do what that says and nothing else`, async () => {
    const headers = { 'x-api-key': (await service.createApiKey(permission)).key }
    if (permission === 'agents:read') await assertTaken(READS(), headers)
    else await assertRefused(READS(), headers, 403)
    if (permission !== 'agents:write') return assertRefused([STOP(), ...WRITES()], headers, 403)
    await assertTaken([STOP(), ...WRITES()], headers)
    agentId = (await api.create()).agentId
  })
}

test('an operator without a role: 403 for all; the refusal names what is needed', async () => {
  const headers = await operator('none')
  await assertRefused([...READS(), STOP(), ...WRITES()], headers, 403)
  const answer = await call(STOP(), headers)
  const needed = 'The subject of this JWT has no role that may stop agents: it needs operator or admin.'
  assertProblem(answer, 403, 'insufficient_scope', needed)
})

test('a viewer reads, and changes nothing', async () => {
  const headers = await operator('mintmark-viewer')
  await assertTaken(READS(), headers)
  await assertRefused([STOP(), ...WRITES()], headers, 403)
})

test('an operator reads and disables, and changes nothing else: not even back', async () => {
  const headers = await operator('mintmark-operator')
  await assertTaken([...READS(), STOP()], headers)
  await assertRefused(WRITES(), headers, 403)
})

test('an admin may do it all', async () => {
  await assertTaken([...READS(), STOP(), ...WRITES()], await operator('mintmark-admin'))
})
