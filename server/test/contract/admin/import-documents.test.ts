// POST /api/v1/imports, asked badly: what is no import, or more than one may hold, is 400 or 413 and changes nothing.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { IMPORT_BYTES_MAX, IMPORT_VALUES_MAX, IMPORTED_AGENTS_MAX } from '../../../../api/values/limits.ts'
import { JSON_TYPE } from '../../../../testkit/callers/administration.ts'
import { type Answer, assertProblem, send, statusBeforeBody } from '../../../../testkit/callers/requests.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const CANARY = 'c4n4ry-secret-of-another-server'

const service = useService()
let headers: Readonly<Record<string, string>>

service.before(async () => {
  headers = { ...JSON_TYPE, 'x-api-key': (await service.createApiKey('agents:write')).key }
})
afterEach(() => {
  assert.equal(countRows(service.storeFile, 'agent'), 0)
  assert.ok(!service.log().includes(CANARY))
})

const postText = (body: string): Promise<Answer> =>
  send(service, { method: 'POST', path: '/api/v1/imports', headers, body })

const post = (body: unknown): Promise<Answer> => postText(JSON.stringify(body))

const refused = async (body: unknown, description: string, error = 'invalid_request'): Promise<void> =>
  assertProblem(await post(body), 400, error, description)

const agent = (n = 0) => ({ client_id: `agent-${n}`, name: `agent ${n}`, scope: 'db:read', client_secret: CANARY })

test('the answer to a body of another shape says what is wrong with it, and none of its values', async () => {
  await refused({ agents: CANARY }, 'agents is missing, or is not of the type array.')
  await refused({ agents: [CANARY] }, 'agents.0 is missing, or is not of the type object.')
  await refused({ agents: [], dry_run: 'no' }, 'dry_run is missing, or is not of the type boolean.')
  await refused({ agents: [], [CANARY]: 1 }, 'The body has a member that this operation does not know.')
  await refused({ agents: [{ ...agent(), [CANARY]: 1 }] }, 'agents.0 has a member that this operation does not know.')
  await refused({ agents: [{ ...agent(), scope: CANARY }] }, SCOPE_FORM, 'invalid_scope')
  const both = { ...agent(), secret_hash: CANARY }
  await refused({ agents: [both] }, 'agents.0.secret_hash stands beside client_secret: give one of the two.')
})

const SCOPE_FORM =
  'agents.0.scope is not 1 to 16 items of the form resource:action (or resource:*), separated by single spaces.'

test('settings that no agent may have refuse the request, and name the agent', async () => {
  await refused(
    {
      agents: [
        { ...agent(), client_secret: null },
        { ...agent(1), default_scope: 'db:write' },
      ],
    },
    'agents.1: The default scope holds db:write, which the scope does not allow.',
    'invalid_scope',
  )
})

test('a secret or a client id that no agent may have refuses that agent alone', async () => {
  const [id] = ['refused-1']
  const body = {
    dry_run: true,
    agents: [
      { ...agent(1), client_id: ' spaced' },
      { ...agent(2), client_secret: 'short' },
      { ...agent(3), client_secret: 'x'.repeat(1025) },
      { ...agent(4), client_secret: null, secret_hash: CANARY },
      { ...agent(5), client_secret: null, secret_hash: `$2b$14$${'a'.repeat(53)}` },
      { ...agent(6), client_id: id },
      { ...agent(7), client_id: id },
    ],
  }
  const answer = await post(body)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers['cache-control'], 'no-store')
  const { data } = answer.json as { data: readonly { outcome: string; reason: string | null }[] }
  assert.deepEqual(
    data.map(({ outcome, reason }) => reason ?? outcome),
    [
      'client_id_malformed',
      'secret_too_short',
      'secret_too_long',
      'hash_unknown',
      'hash_too_costly',
      'imported',
      'client_id_repeated',
    ],
  )
})

test('one agent more than a request may hold is refused', async () => {
  const agents = Array.from({ length: IMPORTED_AGENTS_MAX + 1 }, (_, n) => agent(n))
  await refused({ agents }, 'agents has more than 100 members.')
  const answer = await post({ dry_run: true, agents: agents.slice(1) })
  assert.equal((answer.json as { data: readonly unknown[] }).data.length, IMPORTED_AGENTS_MAX)
})

test('a body as long as may be is read, and one byte more is 413; so with its values', async () => {
  const fill = (bytes: number) => `{"agents":[]${' '.repeat(bytes - 13)}}`
  assert.equal((await postText(fill(IMPORT_BYTES_MAX))).status, 200)
  assert.equal((await postText(fill(IMPORT_BYTES_MAX + 1))).status, 413)
  const values = (count: number) => `{"agents":[${Array.from({ length: count - 2 }, () => '0').join()}]}`
  assert.equal((await postText(values(IMPORT_VALUES_MAX))).status, 400)
  const description = 'The body holds more than 20000 values: import the agents in parts.'
  assertProblem(await postText(values(IMPORT_VALUES_MAX + 1)), 413, 'request_too_large', description)
})

test('who may not import hears so before the body is read', async () => {
  assert.equal(await statusBeforeBody(service, '/api/v1/imports', IMPORT_BYTES_MAX), 401)
})
