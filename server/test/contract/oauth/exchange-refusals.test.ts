// Token exchange (RFC 8693): every refusal, in which order they come, and that none reveals a token that is not active.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ACCESS_TOKEN_TYPE,
  CLIENT_CREDENTIALS,
  JWT_BEARER,
  SUBJECT_TOKEN_TYPES,
  TOKEN_EXCHANGE,
} from '../../../../api/values/delegation.ts'
import { askExchange, exchange, exchangeFields } from '../../../../testkit/callers/exchanges.ts'
import { type Answer, assertError, introspect, issue, postForm, revoke } from '../../../../testkit/callers/requests.ts'
import { type AgentOfTestRequest, AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Fields = Readonly<Record<string, string>>

const INACTIVE =
  'The subject_token is neither an active access token of this service nor a JWT of an issuer from which this agent may exchange one.'
const JWT_TYPE = 'urn:ietf:params:oauth:token-type:jwt'
const TYPES = `the one type of this service is ${ACCESS_TOKEN_TYPE}.`
const SUBJECT_TYPES = `send one of ${Object.values(SUBJECT_TOKEN_TYPES).join(', ')}.`
const SAML_TYPE = 'urn:ietf:params:oauth:token-type:saml2'
const ACTOR = 'No actor_token is taken: the actor is the agent that authenticates itself.'
const NOT_GRANTED = 'This agent may not use this grant_type.'
const SCOPE_BEYOND = 'The scope holds db:write, which is not among what this agent may have: db:read mail:send.'
const ANYBODY: AgentOfTestRequest = {
  grantTypes: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE],
  actsFor: ['*'],
  receives: [AUDIENCE],
}

const service = useService()
const caller = service.agent()
const server = service.agent(ANYBODY)
const apiKey = service.apiKey('tokens:introspect')

const assertInactive = (answer: Answer): void => assertError(answer, 400, 'invalid_request', INACTIVE)

/** A request with these fields changed; an empty one is left out. */
const askWith = async (fields: Fields): Promise<Answer> => {
  const { clientId, clientSecret } = server
  const whole = { ...exchangeFields(await issue(service, caller)), client_id: clientId, client_secret: clientSecret }
  return postForm(service, '/oauth/token', { ...whole, ...fields })
}

const WRONG_FIELDS: readonly (readonly [Fields, string])[] = [
  [{ subject_token: '' }, 'subject_token is missing: send the token to exchange.'],
  [{ subject_token_type: '' }, `subject_token_type is missing or unknown: ${SUBJECT_TYPES}`],
  [{ subject_token_type: SAML_TYPE }, `subject_token_type is missing or unknown: ${SUBJECT_TYPES}`],
  [{ requested_token_type: JWT_TYPE }, `requested_token_type is unknown: ${TYPES}`],
  [{ actor_token: 'x', actor_token_type: ACCESS_TOKEN_TYPE }, ACTOR],
  [{ actor_token_type: ACCESS_TOKEN_TYPE }, ACTOR],
  [{ actor_token: 'x' }, ACTOR],
]

test('fields that are missing, of another type, or of an actor: 400 invalid_request', async () => {
  for (const [fields, description] of WRONG_FIELDS) {
    assertError(await askWith(fields), 400, 'invalid_request', description)
  }
  const { status } = await askWith({ requested_token_type: ACCESS_TOKEN_TYPE })
  assert.equal(status, 200)
})

test('a field that is given twice: 400 invalid_request', async () => {
  for (const name of ['subject_token', 'subject_token_type', 'requested_token_type', 'actor_token']) {
    const fields = new URLSearchParams(exchangeFields('x'))
    fields.set(name, 'x')
    fields.append(name, 'x')
    const answer = await postForm(service, '/oauth/token', fields.toString())
    assertError(answer, 400, 'invalid_request', `${name} is given more than once.`)
  }
})

test('an agent that may not use the grant hears so before its token is looked at, and before its fields are', async () => {
  const agent = await service.createAgent({ ...ANYBODY, grantTypes: [CLIENT_CREDENTIALS] })
  const parent = await issue(service, caller)
  const fields = [{}, { subject_token: 'x' }, { subject_token: '' }, { actor_token: 'x' }]
  for (const one of fields) {
    assertError(await askExchange(service, agent, parent, one), 400, 'unauthorized_client', NOT_GRANTED)
  }
})

test('the client is authenticated before all else', async () => {
  const answer = await askExchange(service, { ...server, clientSecret: 'wrong' }, await issue(service, caller))
  assert.deepEqual([answer.status, (answer.json as { error: string }).error], [401, 'invalid_client'])
})

/** A token with one member of its payload changed. */
const forge = (token: string, change: (payload: string) => string): string => {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const changed = change(Buffer.from(payload, 'base64url').toString())
  return [header, Buffer.from(changed).toString('base64url'), signature].join('.')
}

test('whatever is not an active token of this service, for whatever reason, is refused with one text', async () => {
  const [live, revoked] = [await issue(service, caller), await issue(service, caller)]
  await revoke(service, revoked)
  const holder = await service.createAgent()
  const disabled = await issue(service, holder)
  await service.disableAgent(holder.agentId)
  const stranger = await service.createAgent({ grantTypes: [TOKEN_EXCHANGE] })
  const forged = forge(live, payload => payload.replace('"scope":"db:read"', '"scope":"db:read db:write"'))
  const foreign = forge(live, payload => payload.replace(service.baseUrl, 'https://other.example'))
  const inactive = [
    'x',
    'a.b.c',
    revoked,
    disabled,
    forged,
    foreign,
    `${live}=`,
    ` ${live}`,
    `${live}.`,
    'x'.repeat(14_000),
  ]
  for (const token of inactive) {
    assertInactive(await askExchange(service, server, token))
    // Nor does another request about it reveal more.
    assertInactive(await askExchange(service, stranger, token, { scope: 'no:scope', resource: 'nowhere' }))
  }
  assert.equal((await askExchange(service, server, live)).status, 200)
  service.clock.advance(300_000)
  assertInactive(await askExchange(service, server, live))
})

test('a token that was got for one that has ended is refused as that one is', async () => {
  const root = await issue(service, caller)
  const child = await exchange(service, server, root)
  await revoke(service, root)
  for (const token of [root, child]) assertInactive(await askExchange(service, server, token))
})

test('a live token of an agent that is not in acts_for, and one for an audience that is not in receives', async () => {
  const parent = await issue(service, caller)
  const notFor = 'This agent may not act for the agent that holds the subject_token.'
  const notHere = 'The subject_token is for no audience that this agent receives tokens for.'
  const cases: readonly (readonly [AgentOfTestRequest, string | undefined])[] = [
    [{ actsFor: [] }, notFor],
    [{ actsFor: [server.agentId, 'label:team=data'] }, notFor],
    [{ actsFor: [caller.agentId], receives: [] }, notHere],
    [{ actsFor: [caller.agentId], receives: [`${AUDIENCE}/other`, 'https://a.example'] }, notHere],
    [{ actsFor: [caller.agentId], receives: ['https://a.example', AUDIENCE] }, undefined],
    [{ actsFor: ['*'] }, undefined],
  ]
  for (const [settings, description] of cases) {
    const answer = await askExchange(service, await service.createAgent({ ...ANYBODY, ...settings }), parent)
    if (description === undefined) assert.equal(answer.status, 200, answer.text)
    else assertError(answer, 400, 'invalid_request', description)
  }
})

test('a token for several audiences is one for each of them', async () => {
  const resource = 'https://a.example'
  const form = { grant_type: CLIENT_CREDENTIALS, client_id: caller.clientId, client_secret: caller.clientSecret }
  const body = new URLSearchParams([...Object.entries(form), ['resource', resource], ['resource', 'https://b.example']])
  const { json } = await postForm(service, '/oauth/token', body.toString())
  const agent = await service.createAgent({ ...ANYBODY, receives: ['https://b.example'] })
  await exchange(service, agent, (json as { access_token: string }).access_token)
  const other = await service.createAgent({ ...ANYBODY, receives: ['https://c.example'] })
  assert.equal((await askExchange(service, other, (json as { access_token: string }).access_token)).status, 400)
})

test('a scope beyond the token’s, or beyond the agent’s, is refused; so is none where they share none', async () => {
  const parent = await issue(service, caller, { scope: 'db:read db:write' })
  const agent = await service.createAgent({ ...ANYBODY, scope: 'db:read mail:send' })
  const asking = (scope: string) => askExchange(service, agent, parent, { scope })
  const beyondToken = 'The scope holds mail:send, which is not among what the subject_token carries: db:read db:write.'
  assertError(await asking('mail:send'), 400, 'invalid_scope', beyondToken)
  assertError(await asking('db:read mail:send'), 400, 'invalid_scope', beyondToken)
  assertError(await asking('db:write'), 400, 'invalid_scope', SCOPE_BEYOND)
  const malformed = (scope: string) =>
    `The scope is malformed at ${scope}: send at most 16 items of the form resource:action, separated by one space each.`
  for (const scope of ['db', 'db:*']) assertError(await asking(scope), 400, 'invalid_scope', malformed(scope))
  const none = await service.createAgent({ ...ANYBODY, scope: 'mail:send', defaultScope: 'mail:send' })
  const sharing = 'The subject_token carries no scope that this agent may have.'
  assertError(await askExchange(service, none, parent), 400, 'invalid_scope', sharing)
})

test('a resource that the agent may not ask for, or that is none', async () => {
  const agent = await service.createAgent({ ...ANYBODY, resources: ['https://a.example'] })
  const parent = await issue(service, caller)
  const asking = (fields: Fields) => askExchange(service, agent, parent, fields)
  const beyond = `This agent may not ask for the resource https://b.example: it may ask for https://a.example, ${AUDIENCE}.`
  assertError(await asking({ resource: 'https://b.example' }), 400, 'invalid_target', beyond)
  assertError(await asking({ audience: 'https://b.example' }), 400, 'invalid_target', beyond)
  const malformed = 'Each resource must be an absolute URI without a fragment, at most 8 of them.'
  assertError(await asking({ resource: 'nowhere' }), 400, 'invalid_target', malformed)
  assert.equal((await asking({ resource: 'https://a.example' })).status, 200)
})

test('an agent whose own tokens live less than 15 s gets none', async () => {
  const agent = await service.createAgent({ ...ANYBODY, lifetimeSeconds: 14 })
  const description = 'The tokens of this agent expire in less than 15 s, the shortest lifetime of an exchanged token.'
  assertError(await askExchange(service, agent, await issue(service, caller)), 400, 'invalid_request', description)
})

test('another grant_type is refused with the names of those that are not', async () => {
  const answer = await askWith({ grant_type: 'urn:ietf:params:oauth:grant-type:saml2-bearer' })
  const names = `${CLIENT_CREDENTIALS}, ${TOKEN_EXCHANGE}, ${JWT_BEARER}`
  assertError(answer, 400, 'unsupported_grant_type', `The grant_type is none that this service has: ${names}.`)
})

test('the fields of an exchange change nothing for client credentials', async () => {
  const parent = await issue(service, caller)
  const token = await issue(service, server, { subject_token: parent, subject_token_type: JWT_TYPE, actor_token: 'x' })
  const { sub, act } = (await introspect(service, apiKey.key, token)).json as { sub: string; act?: unknown }
  assert.deepEqual([sub, act], [server.agentId, undefined])
})

test('neither the subject token nor the new one is in the log', async () => {
  const parent = await issue(service, caller)
  const child = await exchange(service, server, parent)
  for (const text of [parent, `${parent}x`]) await askExchange(service, await service.createAgent(ANYBODY), text)
  for (const token of [parent, child]) {
    for (const part of [token, token.split('.')[2] ?? '']) assert.equal(service.log().includes(part), false)
  }
})
