// Own claims of agents over HTTP: set, changed and refused, and what tokens and the answers about them say.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calculateJwkThumbprint } from 'jose'
import { CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { unprintableIn } from '../../../../api/values/name.ts'
import { OWN_CLAIM_FORM, OWN_CLAIM_NAME_FORM } from '../../../../api/values/own-claims.ts'
import { type AgentsApi, type Body, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { exchange } from '../../../../testkit/callers/exchanges.ts'
import { type Imports, importsInto } from '../../../../testkit/callers/imports.ts'
import {
  type Answer,
  assertProblem,
  bearer,
  claimsOf,
  get,
  introspect,
  issue,
  postForm,
} from '../../../../testkit/callers/requests.ts'
import { exchangerOf, presentJwt, subjectJwt, trust } from '../../../../testkit/callers/subject-jwts.ts'
import { askWith, fetchNonce, goodClaims, makeProof, makeProofKey } from '../../../../testkit/keys/dpop.ts'
import { type AgentOfTest, AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const URI = 'https://reports.example/level'
const MANY = { [URI]: 3, roles: ['reader', 'writer'], tenant_id: 'acme', trial: false }
const NAMES = ['refusal', 'roles', 'tenant_id', 'trial', 'constructor', 'then', 'toJSON', 'own', 'length']

const service = useService({ config: { claimNames: NAMES } })
const introspector = service.apiKey('tokens:introspect')
let api: AgentsApi
let imports: Imports

service.before(async () => {
  api = await makeAgentsApi(service)
  imports = importsInto(service)
})

const created = (claims: Body, more: Body = {}): Promise<AgentOfTest> =>
  api.create({ claims, default_scope: 'db:read', ...more })

const EXCHANGES = { grant_types: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE], acts_for: ['*'], receives: [AUDIENCE] }

const tokenIn = ({ status, json, text }: Answer): string => {
  assert.equal(status, 200, text)
  return (json as { access_token: string }).access_token
}

const introspected = async (token: string): Promise<Body> =>
  (await introspect(service, introspector.key, token)).json as Body

/** The token has these own claims after all others but those of this list, and so do plain and signed answers about it. */
const assertClaims = async (token: string, own: Body, after: readonly string[] = []): Promise<void> => {
  const claims = claimsOf(token)
  const names = Object.keys(claims)
  const expected = ['credential_id', ...Object.keys(own), ...after]
  assert.deepEqual(names.slice(names.indexOf('credential_id')), expected)
  assert.deepEqual(Object.fromEntries(Object.keys(own).map(name => [name, claims[name]])), own)
  const answer = await introspected(token)
  const { iss, sub, aud, client_id, iat, exp, jti, scope, act, cnf } = claims
  const token_type = cnf === undefined ? 'Bearer' : 'DPoP'
  const others = { active: true, iss, sub, aud, client_id, iat, exp, jti, scope, token_type }
  const rest = { ...(act !== undefined && { act }), ...(cnf !== undefined && { cnf }) }
  assert.deepEqual(answer, { ...own, ...others, ...rest })
  assert.equal(Object.keys(answer)[0], 'active')
  const headers = { 'x-api-key': introspector.key, accept: 'application/token-introspection+jwt' }
  const signed = await postForm(service, '/oauth/introspect/v2', { token }, headers)
  assert.deepEqual(claimsOf(signed.text)['token_introspection'], answer)
}

test('they are set at creation and by a change, shown, listed, recorded, and taken away again', async () => {
  const { agentId, record } = await api.create({ claims: MANY })
  assert.deepEqual(record['claims'], MANY)
  assert.deepEqual(Object.keys(record['claims'] as object), [URI, 'roles', 'tenant_id', 'trial'])
  assert.deepEqual(await api.show(agentId), record)
  const { data } = (await get(service, `/api/v1/agents?q=${agentId}`, api.reader)).json as { data: readonly Body[] }
  assert.deepEqual(data, [record])
  const reader = { 'x-api-key': (await service.createApiKey('audit:read')).key }
  const acts = async () =>
    ((await get(service, `/api/v1/audit?subject=${agentId}`, reader)).json as { data: { detail: Body }[] }).data
  const reordered = Object.fromEntries(Object.entries(MANY).toReversed())
  await api.patch(agentId, { claims: reordered, owner: null })
  assert.equal((await acts()).length, 1)
  assert.deepEqual(await api.patch(agentId, { claims: { roles: [] } }), { ...record, claims: { roles: [] } })
  assert.deepEqual(await api.patch(agentId, { claims: {} }), { ...record, claims: {} })
  const details = (await acts()).map(({ detail }) => ({ ...detail, seq: 0 }))
  const [empty, few] = [{ claims: {} }, { claims: { roles: [] } }]
  assert.deepEqual(details.slice(0, 2), [
    { before: few, after: empty, seq: 0 },
    { before: { claims: MANY }, after: few, seq: 0 },
  ])
  assert.deepEqual((details.at(-1) as { readonly after?: Body }).after?.['claims'], MANY)
  assert.deepEqual((await api.create()).record['claims'], {})
})

const UNLISTED = `claims has a name that is neither a URI nor listed in MINTMARK_CLAIM_NAMES (${NAMES.join(', ')}): list it there, or name the claim by a URI.`
const MISTAKES: readonly (readonly [claims: unknown, text: string])[] = [
  [{ groups: 'x' }, UNLISTED],
  ...['x', null].map(
    secret => [{ [URI]: 1, 'A-SECRET': secret }, `claims has a name that is not ${OWN_CLAIM_NAME_FORM}.`] as const,
  ),
  [{ sub: 'x' }, 'claims.sub has a meaning of its own: give the claim another name.'],
  ...[{}, null, { a: 1 }, [null], [['a']], [1], ['a', true]].map(
    value => [{ [URI]: value }, `claims.${URI} is not ${OWN_CLAIM_FORM}.`] as const,
  ),
  ...['a\0', '\ud800', '\u009b'].map(
    value => [{ [URI]: [value] }, `claims.${URI} is not ${OWN_CLAIM_FORM}${unprintableIn(value)}.`] as const,
  ),
  [Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`a:${n}`, n])), 'claims has more than 16 members.'],
  [{ 'a:b': 'x'.repeat(2049 - '{"a:b":""}'.length) }, 'claims is more than 2048 bytes of JSON.'],
  ...[null, 'x', []].map(claims => [claims, 'claims is missing, or is not of the type object.'] as const),
]

test('what cannot be a claim is refused, as a change, a dry run, a creation and an import', async () => {
  const { agentId, record } = await api.create({ claims: MANY })
  for (const [claims, text] of MISTAKES) {
    const made = { name: api.newName(), scope: 'db:read', claims }
    assertProblem(await api.act('PATCH', `/${agentId}`, { claims }), 400, 'invalid_request', text)
    assertProblem(await api.act('PATCH', `/${agentId}`, { claims, dry_run: true }), 400, 'invalid_request', text)
    assertProblem(await api.act('POST', '', made), 400, 'invalid_request', text)
    const imported = await imports.post({ agents: [{ ...made, client_id: made.name }] })
    const place = text === UNLISTED ? 'agents.0: ' : 'agents.0.'
    assertProblem(imported, 400, 'invalid_request', place + text)
  }
  assert.deepEqual(await api.show(agentId), record)
  await api.patch(agentId, { claims: { 'a:b': 'x'.repeat(2048 - '{"a:b":""}'.length) } })
})

test('a token and every answer about it say them, and a change ends nothing', async () => {
  const agent = await created(MANY)
  const before = await issue(service, agent)
  await assertClaims(before, MANY)
  const claims = { roles: ['none'] }
  await api.patch(agent.agentId, { claims })
  await assertClaims(before, MANY)
  await assertClaims(await issue(service, agent), claims)
  await api.patch(agent.agentId, { claims: {} })
  await assertClaims(await issue(service, agent), {})
  assert.deepEqual(await api.ended(agent.agentId), [])
})

test('no claim takes the place of another, whatever it is called and says', async () => {
  const said = [
    `","iat":1,"exp":2,"jti":"01234567-89ab-7def-8123-456789abcdef",`,
    `","cnf":{"jkt":"${'k'.repeat(43)}"}}`,
    '","lineage":[{"id":"x"}]',
    '"act":{"iss":"x"}',
    'ä🙃 \\ \u2028',
  ]
  await assertClaims(await issue(service, await created({ 'a:b': said })), { 'a:b': said })
  for (const one of said) {
    const claims = { 'urn:a:b': one, ...Object.fromEntries(NAMES.map(name => [name, one])) }
    const sorted = Object.fromEntries(Object.entries(claims).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    await assertClaims(await issue(service, await created(claims)), sorted)
  }
})

test('a revoked token and one that is not exactly ours say none of them', async () => {
  const token = await issue(service, await created(MANY))
  const [header = '', payload = '', signature = ''] = token.split('.')
  const forged = JSON.stringify({ ...claimsOf(token), roles: ['admin'] })
  const other = [header, Buffer.from(forged).toString('base64url'), signature].join('.')
  for (const one of [other, `${header}.${payload}.${'A'.repeat(signature.length)}`]) {
    assert.deepEqual(await introspected(one), { active: false })
  }
  assert.deepEqual((await introspected(token))['roles'], MANY.roles)
  const operator = bearer(await service.provider.operatorJwt({ role: 'mintmark-operator' }))
  assert.equal((await postForm(service, '/oauth/revoke', { token }, operator)).status, 200)
  assert.deepEqual(await introspected(token), { active: false })
})

test('a token that is bound to a key says them before cnf', async () => {
  const agent = await created(MANY)
  const key = makeProofKey()
  const proof = { ...goodClaims(service), nonce: await fetchNonce(service, agent) }
  const token = tokenIn(await askWith(service, agent, makeProof(key, { claims: proof })))
  assert.deepEqual(claimsOf(token)['cnf'], { jkt: await calculateJwkThumbprint(key.jwk) })
  await assertClaims(token, MANY, ['cnf'])
})

test('an exchanged token says those of the agent that exchanges alone', async () => {
  const root = await issue(service, await created({ roles: ['root'], tenant_id: 'acme' }))
  const [named, unnamed] = [await created({ roles: ['relay'] }, EXCHANGES), await created({}, EXCHANGES)]
  const first = await exchange(service, named, root)
  await assertClaims(first, { roles: ['relay'] }, ['lineage'])
  const second = await exchange(service, unnamed, first)
  await assertClaims(second, {}, ['lineage'])
  await api.patch(named.agentId, { claims: { trial: true } })
  await assertClaims(await exchange(service, named, second), { trial: true }, ['lineage'])
})

test('a token that acts for a subject of an issuer says them', async () => {
  await trust(service, service.provider, { alias: 'acme' })
  const agent = await service.createAgent(exchangerOf('acme', { claims: MANY, receives: [AUDIENCE] }))
  const act = { iss: service.provider.issuer, sub: 'web' }
  for (const claims of [{}, { act }]) {
    const jwt = await subjectJwt(service, service.provider, 'id_token', { claims })
    const token = tokenIn(await presentJwt(service, agent, jwt, { as: 'id_token', scope: 'db:read' }))
    assert.equal(claimsOf(token)['sub'], 'acme:alice')
    await assertClaims(token, MANY)
  }
})
