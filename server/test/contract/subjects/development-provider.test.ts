// The development identity provider: a person signs in for an agent, which gets ID-JAGs of it. By this nobody becomes an operator.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, importJWK, jwtVerify, SignJWT, UnsecuredJWT } from 'jose'
import { agentAt, startDevelopmentProvider } from '../../../../testkit/identity-providers/development-provider.ts'
import {
  askIdJag,
  authorizationUrlOf,
  followSignIn,
  makeBrowser,
  sendCode,
  signInPerson,
} from '../../../../testkit/identity-providers/sign-in-person.ts'
import { makeDevSecrets } from '../../../src/dev/dev-secrets.ts'
import { CONSOLE_CLIENT_ID, clientIdOf, fetchDevToken } from '../../../src/dev/dev-token.ts'
import { operatorsAudienceOf } from '../../../src/dev/identity-provider.ts'
import { TIMING } from '../../../src/ports/timing.ts'

const SERVICE = 'https://service.example'
const RESOURCE = 'https://mcp.example/mcp'
const provider = await startDevelopmentProvider({ after }, SERVICE)
const { issuer, client_secret: operatorsSecret } = provider
const agent = agentAt(provider)
const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))

type Json = Readonly<Record<string, unknown>>

const jsonOf = async (response: Response): Promise<Json> => (await response.json()) as Json

/** The answer to the request for an ID-JAG for the service, with other fields where they are given. */
const ask = async (subjectToken: string, fields: Readonly<Record<string, string>> = {}): Promise<Response> =>
  askIdJag(agent, { subject_token: subjectToken, audience: SERVICE, ...fields })

const idJagFor = async (subjectToken: string, fields?: Readonly<Record<string, string>>): Promise<string> =>
  String((await jsonOf(await ask(subjectToken, fields)))['access_token'])

const assertRefused = async (response: Response, status: number, error: string, title: string): Promise<void> => {
  assert.equal(response.status, status, title)
  assert.equal((await jsonOf(response))['error'], error, title)
}

const basic = (clientId: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
})

test('a person signs in for an agent: the ID token names them and the agent, and the access token is no JWT', async () => {
  const tokens = await jsonOf(await sendCode(agent, await followSignIn(authorizationUrlOf(agent), 'alice')))
  const { payload } = await jwtVerify(String(tokens['id_token']), keys, { issuer, audience: agent.clientId })
  const { iat = 0, exp = 0, at_hash: _, ...claims } = payload
  assert.deepEqual(claims, { iss: issuer, aud: agent.clientId, sub: 'alice', name: 'Development alice' })
  assert.equal(exp - iat, 3600)
  assert.doesNotMatch(String(tokens['access_token']), /\./)
  assert.equal(tokens['refresh_token'], undefined)
})

test('an ID-JAG names the person, the agent, the service and what was asked for; each is another', async () => {
  const idToken = await signInPerson(agent, 'bob')
  const wanted = { resource: RESOURCE, scope: 'db:read mail:send' }
  const response = await ask(idToken, wanted)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  const { access_token: idJag, ...answer } = await jsonOf(response)
  assert.deepEqual(answer, {
    issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    token_type: 'N_A',
    expires_in: 300,
    scope: wanted.scope,
  })
  const { payload, protectedHeader } = await jwtVerify(String(idJag), keys)
  assert.equal(protectedHeader.typ, 'oauth-id-jag+jwt')
  const { iat = 0, exp = 0, jti = '', ...claims } = payload
  assert.deepEqual(claims, { iss: issuer, sub: 'bob', aud: SERVICE, client_id: agent.clientId, ...wanted })
  assert.equal(exp - iat, 300)
  const { iat: earlier = 0 } = decodeJwt(idToken)
  assert.ok(iat >= earlier && iat < earlier + 60)
  assert.match(jti, /^[\w-]{36}$/)
  assert.notEqual(decodeJwt(await idJagFor(idToken, wanted)).jti, jti)
  const { resource, scope } = decodeJwt(await idJagFor(idToken))
  assert.deepEqual([resource, scope], [undefined, undefined])
})

test('the metadata says that there are ID-JAGs', async () => {
  const metadata = await jsonOf(await fetch(`${issuer}/.well-known/openid-configuration`))
  assert.deepEqual(metadata['identity_chaining_requested_token_types_supported'], [
    'urn:ietf:params:oauth:token-type:id-jag',
  ])
})

test('there is an ID-JAG for the service alone, by an ID token that the agent got and that is valid', async () => {
  const idToken = await signInPerson(agent, 'alice')
  const type = (name: string): string => `urn:ietf:params:oauth:token-type:${name}`
  const asked: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    ['another audience', { audience: 'https://other.example' }, 'invalid_target'],
    ['a part of the audience', { audience: `${SERVICE}/` }, 'invalid_target'],
    ['no audience', { audience: '' }, 'invalid_target'],
    ['an access token', { requested_token_type: type('access_token') }, 'invalid_request'],
    ['no type', { requested_token_type: '' }, 'invalid_request'],
    ['for an access token', { subject_token_type: type('access_token') }, 'invalid_request'],
    ['for an ID-JAG', { subject_token_type: type('id-jag') }, 'invalid_request'],
  ]
  for (const [title, fields, error] of asked) await assertRefused(await ask(idToken, fields), 400, error, title)

  const { iat: now = 0 } = decodeJwt(idToken)
  const claims = { iss: issuer, aud: agent.clientId, sub: 'alice', exp: now + 60 }
  const key = await importJWK(provider.private_jwk, 'ES256')
  const sign = (changed: object, by = key): Promise<string> =>
    new SignJWT({ ...claims, ...changed }).setProtectedHeader({ alg: 'ES256' }).sign(by)
  const stranger = await importJWK(makeDevSecrets(issuer).identity_provider.private_jwk, 'ES256')
  assert.equal((await ask(await sign({}))).status, 200)
  const presented: Readonly<Record<string, string>> = {
    'of the console': await sign({ aud: CONSOLE_CLIENT_ID }),
    'of another issuer': await sign({ iss: 'https://other.example' }),
    'that has expired': await sign({ exp: now - 1 }),
    'that never expires': await sign({ exp: undefined }),
    'of nobody': await sign({ sub: undefined }),
    'of another key': await sign({}, stranger),
    'without a signature': new UnsecuredJWT(claims).encode(),
    'that is an ID-JAG': await idJagFor(idToken),
    'that is a JWT of an operator': await fetchDevToken(provider, 'admin', TIMING),
    'that is none': 'a.b.c',
    'that is not there': '',
  }
  for (const [title, token] of Object.entries(presented)) {
    await assertRefused(await ask(token), 400, 'invalid_grant', `an ID token ${title}`)
  }
})

test('only the agent gets ID-JAGs, with its secret, which is not that of operators', async () => {
  const idToken = await signInPerson(agent, 'alice')
  const fields = { subject_token: idToken, audience: SERVICE }
  for (const clientSecret of [operatorsSecret, '', 'wrong']) {
    await assertRefused(await askIdJag({ ...agent, clientSecret }, fields), 401, 'invalid_client', clientSecret)
  }
  const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', ...fields })
  for (const clientId of [CONSOLE_CLIENT_ID, clientIdOf('admin')]) {
    const headers = basic(clientId, operatorsSecret)
    const response = await fetch(`${issuer}/token`, { method: 'POST', headers, body })
    const { error_description: why } = await jsonOf(response)
    assert.deepEqual([response.status, why], [400, 'requested grant type is not allowed for this client'], clientId)
  }
})

const CONSOLE = { issuer, clientId: CONSOLE_CLIENT_ID }
const CONSOLE_CALLBACK = { redirect_uri: `${SERVICE}/console/callback` }

test('operators sign in for the console and people for agents, also in one browser', async () => {
  const browser = makeBrowser()
  const [forConsole, forAgent] = [authorizationUrlOf(CONSOLE, CONSOLE_CALLBACK), authorizationUrlOf(agent)]
  await followSignIn(forConsole, 'admin', browser)
  await assert.rejects(followSignIn(forAgent, 'admin', browser), /and no admin\.$/)
  // Also by a request that no button of the page sends.
  const began = await browser(forAgent)
  const page = new URL(began.headers.get('location') ?? '', issuer)
  assert.equal((await browser(`${page.href}/admin`, new URLSearchParams())).status, 405)
  assert.equal(decodeJwt(await signInPerson(agent, 'alice', browser)).sub, 'alice')

  await assert.rejects(followSignIn(forConsole, 'alice', browser), /and no alice\.$/)
  assert.ok((await followSignIn(forConsole, 'viewer', browser)).searchParams.has('code'))
})

test('a sign-in for an agent gives no JWT for the administration, and its code goes to this machine alone', async () => {
  const resource = operatorsAudienceOf(SERVICE)
  const refused = await followSignIn(authorizationUrlOf(agent, { resource }), 'alice')
  assert.equal(refused.searchParams.get('error'), 'invalid_target')
  const callback = await followSignIn(authorizationUrlOf(agent), 'alice')
  await assertRefused(await sendCode(agent, callback, { resource }), 400, 'invalid_target', resource)
  for (const redirect_uri of [
    'https://attacker.example/callback',
    'http://127.0.0.1.attacker.example:9/callback',
    'http://127.0.0.1:9/other',
    CONSOLE_CALLBACK.redirect_uri,
  ]) {
    const { status, headers } = await makeBrowser()(authorizationUrlOf(agent, { redirect_uri }))
    assert.deepEqual([status, headers.get('location')], [400, null], redirect_uri)
  }
})
