// Idempotency-Key over HTTP, on every request that creates something.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin as adminOf, call, type Headers, operator } from '../../../../testkit/callers/administration.ts'
import { type Answer, bearer } from '../../../../testkit/callers/requests.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Body = Readonly<Record<string, unknown>>

/** A request that creates, what its act is called, and the member of its answer that names what was made. */
type Creation = {
  readonly kind: string
  readonly id: string
  readonly table: string
  readonly request: (agent: AgentOfTest) => Promise<{ readonly path: string; readonly body: Body }>
}

const service = useService()
const agent = service.agent()
let admin: Headers

service.before(async () => {
  admin = await adminOf(service)
})

const post = (path: string, body: Body, headers: Headers = admin): Promise<Answer> =>
  call(service, { method: 'POST', path, body }, headers)

const make = async (path: string, body: Body, id: string): Promise<string> => {
  const answer = await post(path, body)
  assert.equal(answer.status, 201, answer.text)
  return String((answer.json as Body)[id])
}

const API_KEY = { name: 'k', permissions: ['tokens:read'] }

const ROTATION = { grace_seconds: 60 }

const CREATIONS: readonly Creation[] = [
  {
    kind: 'agent.create',
    id: 'agent_id',
    table: 'agent',
    request: async () => ({ path: '/api/v1/agents', body: { name: 'made once', scope: 'db:read' } }),
  },
  {
    kind: 'credential.create',
    id: 'credential_id',
    table: 'credential',
    request: async ({ agentId }) => ({ path: `/api/v1/agents/${agentId}/credentials`, body: { name: 'second' } }),
  },
  {
    kind: 'credential.rotate',
    id: 'credential_id',
    table: 'credential',
    request: async ({ agentId }) => {
      const all = `/api/v1/agents/${agentId}/credentials`
      return { path: `${all}/${await make(all, { name: 'old' }, 'credential_id')}/rotate`, body: ROTATION }
    },
  },
  {
    kind: 'api_key.create',
    id: 'api_key_id',
    table: 'api_key',
    request: async () => ({ path: '/api/v1/api-keys', body: API_KEY }),
  },
  {
    kind: 'api_key.rotate',
    id: 'api_key_id',
    table: 'api_key',
    request: async () => {
      const old = await make('/api/v1/api-keys', API_KEY, 'api_key_id')
      return { path: `/api/v1/api-keys/${old}/rotate`, body: ROTATION }
    },
  },
  {
    kind: 'revocation.create',
    id: 'id',
    table: 'cutoff',
    request: async ({ agentId }) => ({ path: '/api/v1/revocations', body: { agent_id: agentId } }),
  },
]

for (const { kind, id, table, request } of CREATIONS) {
  test(`${kind}: a repeat with the same key is 409 with the id that the first made, and makes nothing`, async () => {
    const { path, body } = await request(agent)
    const first = await post(path, body, { ...admin, 'idempotency-key': `"${kind} once"` })
    assert.equal(first.status, 201, first.text)
    const made = String((first.json as Body)[id])
    const rows = countRows(service.storeFile, table)
    const repeat = await post(path, body, { ...admin, 'idempotency-key': `"${kind} once"` })
    const detail = `This Idempotency-Key was used before, for ${kind}, which made ${made}.`
    assert.deepEqual([repeat.status, repeat.headers['content-type']], [409, 'application/problem+json'])
    assert.deepEqual(repeat.json, {
      type: `${service.baseUrl}/errors#already_exists`,
      title: 'Already exists',
      status: 409,
      detail,
      error: 'already_exists',
      error_description: detail,
      id: made,
    })
    assert.doesNotMatch(repeat.text, /mm[ac]_/)
    assert.equal(countRows(service.storeFile, table), rows)
  })
}

const create = async (key: string | undefined, headers: Headers = admin) => {
  const answer = await post('/api/v1/api-keys', API_KEY, {
    ...headers,
    ...(key !== undefined && { 'idempotency-key': key }),
  })
  return { status: answer.status, body: answer.json as Body }
}

test('a key in quotes and the same key as a bare word, as many clients send it, are one', async () => {
  const first = await create('"8e03978e-40d5-43e8-bc93-6894a57f9324"')
  const repeat = await create('8e03978e-40d5-43e8-bc93-6894a57f9324')
  assert.deepEqual([first.status, repeat.status, repeat.body['id']], [201, 409, first.body['api_key_id']])
})

test('a revocation that has an id of its own and is found by it is no creation: its key stays free', async () => {
  const body = { agent_id: agent.agentId, id: 'c7a1de0e-4d0c-4d0e-9e53-0d3f6a3ce001' }
  assert.equal((await post('/api/v1/revocations', body)).status, 201)
  const keyed = { ...admin, 'idempotency-key': '"found"' }
  assert.equal((await post('/api/v1/revocations', body, keyed)).status, 200)
  assert.equal((await create('"found"')).status, 201)
})

test('no key, and another key, create anew; the key is one of its caller alone', async () => {
  const other = bearer(await service.provider.operatorJwt({ role: 'mintmark-admin', sub: 'another' }))
  const answers = [await create(undefined), await create(undefined), await create('a'), await create('b')]
  answers.push(await create('a', other))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201, 201, 201],
  )
  assert.equal((await create('a', other)).status, 409)
})

test('a key of another form is refused, and nothing is created; at 255 characters it is taken', async () => {
  const rows = countRows(service.storeFile, 'api_key')
  for (const key of [
    '',
    ' ',
    '""',
    '"a',
    'a"b',
    'a, b',
    '"a", "b"',
    'a b',
    'x'.repeat(256),
    `"${'x'.repeat(256)}"`,
    '"\\a"',
  ]) {
    const { status, body } = await create(key)
    assert.equal(status, 400, key)
    assert.match(String(body['detail']), /^Idempotency-Key is not one string of 1 to 255 printable ASCII characters\.$/)
  }
  assert.equal(countRows(service.storeFile, 'api_key'), rows)
  assert.equal((await create('y'.repeat(255))).status, 201)
  assert.equal((await create(String.raw`"a \"b\" \\"`)).status, 201)
  assert.equal((await create(String.raw`"a \"b\" \\"`)).status, 409)
})

test('who may not create hears 401 or 403, and uses no key up', async () => {
  const viewer = await operator(service, 'viewer')
  assert.equal((await create('"later"', {})).status, 401)
  assert.equal((await create('"later"', viewer)).status, 403)
  assert.equal((await create('"later"')).status, 201)
})
