// GET /api/v1/tokens/{id} and POST /api/v1/tokens/{id}/revoke: one token by its id alone.
import { lineageOfRoot } from '../../../../testkit/services/lineage-members.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Permission } from '../../../../api/values/access.ts'
import {
  type Answer,
  assertPlainHeaders,
  assertProblem,
  bearer,
  claimsOf,
  get,
  introspect,
  issue,
  postJson,
  revoke,
  send,
} from '../../../../testkit/callers/requests.ts'
import { AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Life = Readonly<Record<string, unknown>>

const NOT_FOUND = 'No token has this id, or none that is kept.'
const NOT_ENDED = {
  ended_at: null,
  termination_reason: null,
  ended_by: null,
  note: null,
  revocation_id: null,
  ancestor_id: null,
}

const service = useService()
const agent = service.agent()
let keys: { reader: string; revoker: string; introspector: string; narrowReader: string; narrowRevoker: string }

service.before(async () => {
  const key = async (permission: Permission, audiences?: readonly string[]) =>
    (await service.createApiKey(permission, audiences)).key
  keys = {
    reader: await key('tokens:read'),
    revoker: await key('tokens:revoke'),
    introspector: await key('tokens:introspect'),
    narrowReader: await key('tokens:read', [AUDIENCE]),
    narrowRevoker: await key('tokens:revoke', [AUDIENCE]),
  }
})

const idOf = (token: string): string => String(claimsOf(token)['jti'])

const show = (id: string, key = keys.reader): Promise<Answer> =>
  get(service, `/api/v1/tokens/${id}`, { 'x-api-key': key })

const lifeOf = async (id: string): Promise<Life> => {
  const answer = await show(id)
  assert.equal(answer.status, 200, answer.text)
  assertPlainHeaders(answer)
  return answer.json as Life
}

const revokeById = (id: string, body?: object, key = keys.revoker): Promise<Answer> =>
  postJson(service, `/api/v1/tokens/${id}/revoke`, body, { 'x-api-key': key })

const isActive = async (token: string): Promise<unknown> =>
  ((await introspect(service, keys.introspector, token)).json as Life)['active']

const timeOf = (ms: number): string => new Date(ms).toISOString()

test('a live token: who got it, with which credential, when, under which key; nothing has ended it', async () => {
  const token = await issue(service, agent)
  const { iat, exp } = claimsOf(token)
  const { credential_id, kid, ...rest } = await lifeOf(idOf(token))
  assert.match(String(credential_id), /^[0-9a-f-]{36}$/)
  assert.match(String(kid), /^[A-Za-z0-9_-]{43}$/)
  assert.deepEqual(rest, {
    id: idOf(token),
    agent_id: agent.agentId,
    client_id: agent.clientId,
    scope: 'db:read',
    audience: [AUDIENCE],
    ...lineageOfRoot(idOf(token), agent.agentId),
    issued_at: timeOf(1000 * Number(iat)),
    expires_at: timeOf(1000 * Number(exp)),
    state: 'active',
    ...NOT_ENDED,
  })
})

test('a revoked token: when, why and by whom', async () => {
  const token = await issue(service, agent)
  await revoke(service, token)
  const { state, ended_at, termination_reason, ended_by, note, revocation_id } = await lifeOf(idOf(token))
  assert.deepEqual(
    { state, ended_at, termination_reason, ended_by, note, revocation_id },
    {
      state: 'ended',
      ended_at: timeOf(service.clock.wall()),
      termination_reason: 'manual_revocation',
      ended_by: { type: 'operator', iss: service.provider.issuer, sub: 'operator-1' },
      note: null,
      revocation_id: null,
    },
  )
})

test('a token is active a millisecond before its expiry, and at it has expired at exactly that time', async () => {
  const token = await issue(service, await service.createAgent({ lifetimeSeconds: 5 }))
  const { exp } = claimsOf(token)
  service.clock.advance(1000 * Number(exp) - service.clock.wall() - 1)
  assert.equal((await lifeOf(idOf(token)))['state'], 'active')
  service.clock.advance(1)
  const { state, ended_at, termination_reason, ended_by } = await lifeOf(idOf(token))
  assert.deepEqual(
    { state, ended_at, termination_reason, ended_by },
    { state: 'ended', ended_at: timeOf(1000 * Number(exp)), termination_reason: 'expired', ended_by: null },
  )
})

test('a malformed or unknown id is 404, also where it names something else', async () => {
  for (const id of ['x', randomUUID(), agent.agentId, '%2e%2e', '0190b2a1-0000-7000-8000-000000000000']) {
    assertProblem(await show(id), 404, 'not_found', NOT_FOUND)
    assertProblem(await revokeById(id), 404, 'not_found', NOT_FOUND)
  }
})

test('a key limited to audiences finds and ends its own tokens; of others it hears 404', async () => {
  const ours = await issue(service, agent)
  const theirs = await issue(service, agent, { resource: 'https://theirs.example' })
  assert.equal((await show(idOf(ours), keys.narrowReader)).status, 200)
  assertProblem(await show(idOf(theirs), keys.narrowReader), 404, 'not_found', NOT_FOUND)
  assertProblem(await revokeById(idOf(theirs), {}, keys.narrowRevoker), 404, 'not_found', NOT_FOUND)
  assert.equal(await isActive(theirs), true)
  assert.equal((await revokeById(idOf(ours), {}, keys.narrowRevoker)).status, 200)
  assert.equal(await isActive(ours), false)
})

test('the path takes GET, and the one below it POST', async () => {
  const answer = await send(service, { method: 'DELETE', path: `/api/v1/tokens/${randomUUID()}` })
  assert.deepEqual([answer.status, answer.headers['allow']], [405, 'GET, HEAD'])
  const below = await get(service, `/api/v1/tokens/${randomUUID()}/revoke`)
  assert.deepEqual([below.status, below.headers['allow']], [405, 'POST'])
})

test('without a body: manual_revocation, from the answer on, by the key that asked', async () => {
  const token = await issue(service, agent)
  const answer = await revokeById(idOf(token))
  assert.equal(answer.status, 200, answer.text)
  assert.equal(await isActive(token), false)
  assert.deepEqual(answer.json, { ...(await lifeOf(idOf(token))), changed: true })
  const { state, termination_reason, ended_by, note } = answer.json as Life
  assert.deepEqual([state, termination_reason, note], ['ended', 'manual_revocation', null])
  assert.equal((ended_by as Life)['type'], 'api_key')
})

test('a reason and a note stand in history', async () => {
  const token = await issue(service, agent)
  await revokeById(idOf(token), { reason: 'secret_leaked', note: 'seen in a public log' })
  const { termination_reason, note } = await lifeOf(idOf(token))
  assert.deepEqual([termination_reason, note], ['secret_leaked', 'seen in a public log'])
})

test('the first ending wins: a second one answers the first, and leaves one record', async () => {
  const token = await issue(service, agent)
  const first = await revokeById(idOf(token), { note: 'first' })
  service.clock.advance(1000)
  const second = await revokeById(idOf(token), { reason: 'key_compromise', note: 'second' })
  const { changed, ...life } = first.json as Life
  assert.equal(changed, true)
  assert.deepEqual([second.status, second.json], [200, { ...life, changed: false }])
  await revoke(service, token)
  assert.deepEqual(await lifeOf(idOf(token)), life)
  const path = `/api/v1/tokens/history?agent_id=${agent.agentId}`
  const { data } = (await get(service, path, { 'x-api-key': keys.reader })).json as { data: Life[] }
  assert.equal(data.filter(({ id }) => id === idOf(token)).length, 1)
})

test('of fifty callers at once one ends the token, and all hear of the same end', async () => {
  const token = await issue(service, agent)
  const callers = Array.from({ length: 50 }, (_, n) => revokeById(idOf(token), { note: `caller ${n}` }))
  const answers = await Promise.all(callers)
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  assert.equal(new Set(answers.map(({ json }) => (json as Life)['note'])).size, 1)
  const changes = answers.flatMap(({ json }, n) => ((json as Life)['changed'] === true ? [[`caller ${n}`, json]] : []))
  assert.deepEqual(
    changes.map(([caller, json]) => [caller, (json as Life)['note']]),
    [[changes[0]?.[0], changes[0]?.[0]]],
  )
})

test('revoking an expired token leaves it expired', async () => {
  const token = await issue(service, await service.createAgent({ lifetimeSeconds: 5 }))
  service.clock.advance(5000)
  const { termination_reason } = (await revokeById(idOf(token))).json as Life
  assert.equal(termination_reason, 'expired')
})

const REFUSED: readonly (readonly [object, string])[] = [
  [{ reason: 'expired' }, 'reason is not one of manual_revocation, secret_leaked, key_compromise.'],
  [{ reason: 'agent_disabled' }, 'reason is not one of manual_revocation, secret_leaked, key_compromise.'],
  [{ note: '' }, 'note is not 1 to 500 printable characters without spaces around them.'],
  [{ note: 'x'.repeat(501) }, 'note is not 1 to 500 printable characters without spaces around them.'],
  [
    { note: 'two\nlines' },
    'note is not 1 to 500 printable characters without spaces around them: character 4 is U+000A, which cannot be seen.',
  ],
  [{ note: 5 }, 'note is missing, or is not of the type string.'],
  [{ reasons: 'x' }, 'The body has a member that this operation does not know: reasons.'],
  [[], 'The body is missing, or is not of the type object.'],
]
for (const [body, description] of REFUSED) {
  test(`${JSON.stringify(body).slice(0, 40)} is refused, and the token lives`, async () => {
    const token = await issue(service, agent)
    assertProblem(await revokeById(idOf(token), body), 400, 'invalid_request', description)
    assert.equal(await isActive(token), true)
  })
}

test('a note of 500 characters is taken', async () => {
  const token = await issue(service, agent)
  assert.equal((await revokeById(idOf(token), { note: 'x'.repeat(500) })).status, 200)
})

test('a body that is no JSON is refused', async () => {
  const token = await issue(service, agent)
  for (const [type, body] of [
    ['application/x-www-form-urlencoded', 'note=x'],
    ['application/json', '{'],
  ] as const) {
    const headers = { 'x-api-key': keys.revoker, 'content-type': type }
    const answer = await send(service, {
      method: 'POST',
      path: `/api/v1/tokens/${idOf(token)}/revoke`,
      headers,
      body,
    })
    assert.equal(answer.status, 400, answer.text)
  }
  assert.equal(await isActive(token), true)
})

test('an operator may, and history names them', async () => {
  const token = await issue(service, agent)
  const jwt = await service.provider.operatorJwt({ sub: 'ada' })
  const { json } = await postJson(service, `/api/v1/tokens/${idOf(token)}/revoke`, {}, bearer(jwt))
  assert.deepEqual((json as Life)['ended_by'], { type: 'operator', iss: service.provider.issuer, sub: 'ada' })
})
