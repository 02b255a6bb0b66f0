// POST /oauth/introspect/v2: each row of its table, over HTTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import {
  type Answer,
  assertError,
  assertPlainHeaders,
  basic,
  bearer,
  claimsOf,
  introspect,
  issue,
  postForm,
  revoke,
} from '../../../../testkit/callers/requests.ts'
import { sendTogether } from '../../../../testkit/callers/together.ts'
import { AUDIENCE, startServer } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const PATH = '/oauth/introspect/v2'
const KEY_WANTED = 'Introspection needs an API key: send a live one in X-API-Key.'

const service = useService()
const agent = service.agent()
const apiKey = service.apiKey('tokens:introspect')

const ask = (fields: Record<string, string> | string, headers: Record<string, string>): Promise<Answer> =>
  postForm(service, PATH, fields, headers)

const assertInactive = (answer: Answer): void => {
  assert.equal(answer.status, 200)
  assert.equal(answer.text, '{"active":false}')
  assertPlainHeaders(answer)
}

const assertRefused = (answer: Answer, scheme: string): void => {
  assertError(answer, 401, 'invalid_client', KEY_WANTED)
  assert.deepEqual(answer.challenges, [`${scheme} realm="${service.baseUrl}"`])
}

test('active: 200 active true, sub, scope, exp; and client_id, iss, aud, iat, jti, token_type', async () => {
  const token = await issue(service, agent)
  const { iat, exp, jti } = claimsOf(token)
  const answer = await introspect(service, apiKey.key, token)
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.json, {
    active: true,
    sub: agent.agentId,
    scope: 'db:read',
    exp,
    client_id: agent.clientId,
    iss: service.baseUrl,
    aud: AUDIENCE,
    iat,
    jti,
    token_type: 'Bearer',
  })
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assertPlainHeaders(answer)
})

test('expired: 200 and exactly {"active":false}, from exp on and not a millisecond before', async () => {
  const token = await issue(service, agent)
  service.clock.advance(1000 * Number(claimsOf(token)['exp']) - service.clock.wall() - 1)
  assert.equal(((await introspect(service, apiKey.key, token)).json as { active: boolean }).active, true)
  service.clock.advance(1)
  assertInactive(await introspect(service, apiKey.key, token))
  service.clock.advance(1000)
  assertInactive(await introspect(service, apiKey.key, token))
})

test('revoked: 200 and exactly {"active":false}, also right after its issue', async () => {
  const token = await issue(service, agent)
  assert.equal((await revoke(service, token)).status, 200)
  assertInactive(await introspect(service, apiKey.key, token))
})

test('what was active a moment ago is looked up again: revoked or disabled since, it is inactive', async () => {
  const other = await service.createAgent()
  const [revoked, disabled] = [await issue(service, other), await issue(service, other)]
  for (const token of [revoked, disabled, revoked]) {
    assert.equal(((await introspect(service, apiKey.key, token)).json as { active: boolean }).active, true)
  }
  assert.equal((await revoke(service, revoked)).status, 200)
  assertInactive(await introspect(service, apiKey.key, revoked))
  assert.equal(((await introspect(service, apiKey.key, disabled)).json as { active: boolean }).active, true)
  await service.disableAgent(other.agentId)
  assertInactive(await introspect(service, apiKey.key, disabled))
})

test('unknown, malformed, foreign, badly signed: 200 and exactly {"active":false}', async () => {
  const token = await issue(service, agent)
  const [header = '', payload = '', signature = ''] = token.split('.')
  const unknown = Buffer.from(JSON.stringify({ ...claimsOf(token), jti: '01234567-89ab-7def-8123-456789abcdef' }))
  const nobody = [
    'x',
    'a.b.c',
    `${token} `,
    `${token}=`,
    `${header}.${payload}.${'A'.repeat(signature.length)}`,
    `${header}.${unknown.toString('base64url')}.${signature}`,
    `${header}.${payload}`,
    await service.provider.operatorJwt(),
    'x'.repeat(10_000),
  ]
  for (const one of nobody) assertInactive(await introspect(service, apiKey.key, one))
  assert.notEqual((await introspect(service, apiKey.key, token)).text, '{"active":false}')
})

test('agent disabled: 200 and exactly {"active":false}, and after it is enabled again', async () => {
  const other = await service.createAgent()
  const token = await issue(service, other)
  await service.disableAgent(other.agentId)
  assertInactive(await introspect(service, apiKey.key, token))
  await service.enableAgent(other.agentId)
  assertInactive(await introspect(service, apiKey.key, token))
  assert.notEqual((await introspect(service, apiKey.key, await issue(service, other))).text, '{"active":false}')
})

test('token missing: 400 invalid_request', async () => {
  for (const form of ['', 'token=', 'other=x']) {
    const answer = await ask(form, { 'x-api-key': apiKey.key })
    assertError(answer, 400, 'invalid_request', 'token is missing: send the token to check.')
  }
})

test('token repeated: 400 invalid_request', async () => {
  const answer = await ask('token=a&token=a', { 'x-api-key': apiKey.key })
  assertError(answer, 400, 'invalid_request', 'token is given more than once.')
})

test('X-API-Key missing or wrong: 401 invalid_client, challenged with ApiKey', async () => {
  const revoked = await service.createApiKey('tokens:introspect')
  await service.revokeApiKey(revoked.id)
  assertRefused(await ask({ token: 'x' }, {}), 'ApiKey')
  for (const key of ['', 'wrong', `${apiKey.key}x`, revoked.key, agent.clientSecret]) {
    assertRefused(await ask({ token: 'x' }, { 'x-api-key': key }), 'ApiKey')
  }
})

test('an API key without the permission: 403 insufficient_scope', async () => {
  const reader = await service.createApiKey('tokens:read')
  const description = 'This API key lacks the permission tokens:introspect.'
  const answer = await ask({ token: 'x' }, { 'x-api-key': reader.key })
  assertError(answer, 403, 'insufficient_scope', description)
  assert.deepEqual(answer.challenges, [])
})

test('HTTP Basic with the id of an API key as user and the key as password', async () => {
  const token = await issue(service, agent)
  const answer = await ask({ token }, basic(apiKey.id, apiKey.key))
  assert.equal((answer.json as { active: boolean }).active, true)
})

test('a 401 to a request with an Authorization header carries WWW-Authenticate: Basic', async () => {
  const other = await service.createApiKey('tokens:introspect')
  const headers = [
    basic(apiKey.id, 'wrong'),
    basic(other.id, apiKey.key),
    basic('', apiKey.key),
    basic(agent.clientId, agent.clientSecret),
    { authorization: 'Basic !!!' },
    { authorization: 'Basic' },
    bearer(apiKey.key),
  ]
  for (const header of headers) assertRefused(await ask({ token: 'x' }, header), 'Basic')
})

test('both ways at once: 400 invalid_request', async () => {
  const both = { ...basic(apiKey.id, apiKey.key), 'x-api-key': apiKey.key }
  const description = 'The request authenticates itself by X-API-Key and by Authorization: choose one.'
  assertError(await ask({ token: 'x' }, both), 400, 'invalid_request', description)
})

test('an API key limited to audiences hears inactive for tokens of others', async () => {
  const limited = await service.createApiKey('tokens:introspect', ['https://one.example'])
  const [own, other] = [
    await issue(service, agent, { resource: 'https://one.example' }),
    await issue(service, agent, { resource: 'https://two.example' }),
  ]
  assert.equal(((await introspect(service, limited.key, own)).json as { active: boolean }).active, true)
  assertInactive(await introspect(service, limited.key, other))
  assert.equal(((await introspect(service, apiKey.key, other)).json as { active: boolean }).active, true)
})

test('requests of one moment are answered each for its own token and its own caller', async () => {
  const token = await issue(service, agent)
  const answers = await Promise.all([
    introspect(service, apiKey.key, token),
    introspect(service, 'wrong', token),
    introspect(service, apiKey.key, 'x'),
    introspect(service, apiKey.key, token),
  ])
  const reported = answers.map(({ status, json }) => [status, (json as { active?: boolean }).active])
  assert.deepEqual(reported, [
    [200, true],
    [401, undefined],
    [200, false],
    [200, true],
  ])
})

test('what arrives in one turn of the event loop is looked up together', async () => {
  const groups: number[] = []
  const counting = await startServer({
    break: ({ ledger, ...ports }) => ({
      ...ports,
      ledger: {
        ...ledger,
        find: addresses => {
          groups.push(addresses.length)
          return ledger.find(addresses)
        },
      },
    }),
  })
  try {
    const { key } = await counting.createApiKey('tokens:introspect')
    const form = `token=${await issue(counting, await counting.createAgent())}`
    const request = { path: PATH, form, headers: { 'x-api-key': key } }
    for (const { text } of await sendTogether(counting, [request, request])) assert.match(text, /"active":true/)
    assert.deepEqual(groups, [2])
  } finally {
    await counting.close()
  }
})

test('what arrives in one turn of the event loop is answered each for its own token', async () => {
  const tokens = [await issue(service, agent), 'x', await issue(service, agent), await issue(service, agent)]
  const requests = tokens.map(token => ({ path: PATH, form: `token=${token}`, headers: { 'x-api-key': apiKey.key } }))
  const answers = await sendTogether(service, requests)
  assert.deepEqual(
    answers.map(({ json }) => (json as { jti?: string }).jti),
    tokens.map(token => (token === 'x' ? undefined : claimsOf(token)['jti'])),
  )
})

test('state cannot be read: 503, never a guess', async () => {
  const find = (): Promise<never> => Promise.reject(new Unavailable('The store did not answer.'))
  const broken = await startServer({ break: ports => ({ ...ports, ledger: { ...ports.ledger, find } }) })
  try {
    const { key } = await broken.createApiKey('tokens:introspect')
    const answer = await introspect(broken, key, await issue(broken, await broken.createAgent()))
    const description = 'The service cannot answer for certain right now: try again.'
    assertError(answer, 503, 'temporarily_unavailable', description)
    assert.equal(answer.headers['retry-after'], '1')
  } finally {
    await broken.close()
  }
})
