// ID-JAGs at the jwt-bearer grant (draft-ietf-oauth-identity-assertion-authz-grant): what is granted, and every refusal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calculateJwkThumbprint } from 'jose'
import { CLIENT_CREDENTIALS, JWT_BEARER } from '../../../../api/values/delegation.ts'
import { fetchNonce, goodClaims, makeProof, makeProofKey } from '../../../../testkit/keys/dpop.ts'
import { type Answer, assertError, claimsOf, introspect, postForm } from '../../../../testkit/callers/requests.ts'
import { CLIENT_ID, exchangerOf, presentIdJag, subjectJwt, trust } from '../../../../testkit/callers/subject-jwts.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { type AgentOfTest, AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'

const ORDERS = 'https://orders.example'
const UNKNOWN = 'The assertion is no ID-JAG of an issuer from which this agent may present one.'

const service = useService()
const introspector = service.apiKey('tokens:introspect')
let agent: AgentOfTest

service.before(async () => {
  await trust(service, service.provider, { alias: 'acme', token_types: ['id-jag'], resources: [ORDERS, AUDIENCE] })
  agent = await service.createAgent({
    ...exchangerOf('acme', { scope: 'db:* mail:send', resources: [ORDERS, AUDIENCE] }),
    grantTypes: [JWT_BEARER],
    actsFor: ['issuer:acme:alice'],
  })
})

const idJag = (claims: object = {}, header = {}): Promise<string> =>
  subjectJwt(service, service.provider, 'id-jag', { claims: { aud: service.baseUrl, ...claims }, header })

const present = async (claims: object = {}, fields = {}): Promise<Answer> =>
  presentIdJag(service, agent, await idJag(claims), fields)

const tokenIn = ({ status, json, text }: Answer): string => {
  assert.equal(status, 200, text)
  return (json as { access_token: string }).access_token
}

const now = (): number => Math.floor(service.clock.wall() / 1000)

test('an ID-JAG gets one token for its subject, with the lifetime of the agent, and the scope that all allow', async () => {
  const assertion = await idJag({
    exp: now() + 20,
    scope: 'openid db:read mail:send todos.read files:read',
    sub_id: { format: 'x' },
  })
  const answer = await presentIdJag(service, agent, assertion)
  const { access_token: token, ...rest } = answer.json as { readonly access_token: string }
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 300, scope: 'db:read mail:send' })
  const { sub, act, client_id, aud, lineage } = claimsOf(token)
  assert.deepEqual([sub, act, client_id], ['acme:alice', { sub: agent.agentId }, agent.clientId])
  assert.deepEqual([aud, lineage], [AUDIENCE, undefined])
  const seen = (await introspect(service, introspector.key, token)).json as Readonly<Record<string, unknown>>
  assert.deepEqual([seen['active'], seen['sub']], [true, 'acme:alice'])
  const used = 'The assertion was used before: ask its issuer for a new one.'
  assertError(await presentIdJag(service, agent, assertion), 400, 'invalid_grant', used)
})

test('the scope of a request is cut to what all allow, and no more is given than it asks for', async () => {
  for (const [claimed, requested, expected] of [
    ['db:read mail:send', 'db:read', 'db:read'],
    ['db:read', 'db:read db:write mail:send', 'db:read'],
    [undefined, 'db:write files:read', 'db:write'],
    [undefined, undefined, 'mail:send'],
  ] as const) {
    const answer = await present({ scope: claimed }, requested === undefined ? {} : { scope: requested })
    assert.equal((answer.json as { scope: unknown }).scope, expected, answer.text)
  }
})

test('the claim resource is what the token is for, narrowed by a request, and named in the answer', async () => {
  const scope = 'db:read'
  for (const [resource, fields, expected] of [
    [ORDERS, {}, ORDERS],
    [[AUDIENCE, 'https://else.example', ORDERS], {}, [AUDIENCE, ORDERS]],
    [[AUDIENCE, ORDERS], { resource: ORDERS }, ORDERS],
  ] as const) {
    const answer = await present({ scope, resource }, fields)
    assert.deepEqual((answer.json as { resource: unknown }).resource, expected, answer.text)
    assert.deepEqual(claimsOf(tokenIn(answer))['aud'], expected)
  }
  const beyond = `This agent may not ask for the resource ${AUDIENCE}: the assertion allows ${ORDERS}.`
  assertError(await present({ scope, resource: ORDERS }, { resource: AUDIENCE }), 400, 'invalid_target', beyond)
})

const assertWrong = (answer: Answer, wrong: string): void =>
  assertError(answer, 400, 'invalid_grant', `The assertion ${wrong}.`)

/** Of each fault the claims that have it; all are signed by a key of the issuer. */
const REFUSED: Readonly<Record<string, () => readonly object[]>> = {
  'is not for this service: aud is not its issuer': () =>
    [undefined, `${service.baseUrl}/`, [service.baseUrl, 'x'], `${service.baseUrl}/oauth/token`, []].map(aud => ({
      aud,
    })),
  'was not sent to this agent: client_id is neither its own nor that at its issuer (issuer_clients)': () =>
    [undefined, null, 'other', [CLIENT_ID]].map(client_id => ({ client_id })),
  'is of a subject for whom this agent may not act': () => [{ sub: 'bob' }],
  'has no sub of 1 to 255 visible ASCII characters': () => [{ sub: undefined }],
  'has no iat': () => [{ iat: undefined }],
  'has no jti of 1 to 256 characters': () => [undefined, null, '', 1, 'x'.repeat(257)].map(jti => ({ jti })),
  'has authorization_details, which this service does not read': () => [{ authorization_details: [] }],
  'has a scope that is no text': () => [{ scope: ['db:read'] }],
  'has a resource that is no text and no list of texts': () => [{ resource: 1 }, { resource: [ORDERS, null] }],
  'has no scope that this agent and its issuer allow': () => [
    { scope: 'openid' },
    { scope: 'files:read' },
    { scope: '' },
  ],
  'has no resource that this agent and its issuer allow': () => [
    { resource: 'https://else.example' },
    { resource: 'x' },
  ],
  'is not taken: it has expired': () => [{ exp: now() }],
  'is not taken: exp is more than 3600 s away': () => [{ exp: now() + 3602 }],
  'is not taken: iat lies in the future': () => [{ iat: now() + 62 }],
  'is not taken: cnf is not the key of the DPoP proof: send a proof of that key': () =>
    [null, {}, { jkt: 'x'.repeat(43) }, { 'x5t#S256': 'x' }].map(cnf => ({ cnf })),
  'has an act that is no chain of at most 8 actors, each with its sub': () => [{ act: {} }],
}

for (const [wrong, cases] of Object.entries(REFUSED)) {
  test(`400 invalid_grant: the assertion ${wrong}`, async () => {
    for (const claims of cases()) assertWrong(await present({ scope: 'db:read', ...claims }), wrong)
  })
}

test('another kind of JWT is no ID-JAG, and an ID-JAG is no subject token', async () => {
  for (const typ of ['JWT', 'at+jwt', undefined]) {
    const answer = await presentIdJag(service, agent, await idJag({ scope: 'db:read' }, { typ }))
    assertWrong(answer, 'is no ID-JAG: its typ is another')
  }
  for (const typ of ['logout+jwt', 'secevent+jwt']) {
    assertError(await presentIdJag(service, agent, await idJag({}, { typ })), 400, 'invalid_grant', UNKNOWN)
  }
})

test('what no trusted issuer signed has one text, and none without the signature says why', async () => {
  const good = await idJag()
  const late = await idJag({ exp: 1 })
  const others = [
    'x',
    `${good}x`,
    `${late.slice(0, -4)}AAAA`,
    await idJag({ iss: service.baseUrl }),
    await idJag({ iss: 'https://x.example' }),
  ]
  for (const text of others) {
    assertError(await presentIdJag(service, agent, text), 400, 'invalid_grant', UNKNOWN)
  }
})

test('the client is authenticated, then the grant, then the fields', async () => {
  const { status, json } = await postForm(service, '/oauth/token', { grant_type: JWT_BEARER, assertion: await idJag() })
  assert.deepEqual([status, (json as { error: string }).error], [401, 'invalid_client'])
  const without = await service.createAgent({ grantTypes: [CLIENT_CREDENTIALS] })
  assert.equal((await presentIdJag(service, without, 'x')).status, 400)
  assert.equal(((await presentIdJag(service, without, 'x')).json as { error: string }).error, 'unauthorized_client')
  const missing = 'assertion is missing: send an ID-JAG of a trusted issuer.'
  assertError(await presentIdJag(service, agent, ''), 400, 'invalid_request', missing)
})

test('one that is refused is not used up; of 50 at once one gets a token, and nothing is kept of the others', async () => {
  const assertion = await idJag({ scope: 'db:read' })
  const beyond = await presentIdJag(service, agent, assertion, { scope: 'mail:send' })
  assert.equal((beyond.json as { error: string }).error, 'invalid_scope')
  const [tokens, proofs] = [countRows(service.storeFile, 'token'), countRows(service.storeFile, 'used_proof')]
  const answers = await Promise.all(Array.from({ length: 50 }, () => presentIdJag(service, agent, assertion)))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  assert.ok(
    answers.every(({ status, json }) => status === 200 || (json as { error: string }).error === 'invalid_grant'),
  )
  assert.deepEqual(
    [countRows(service.storeFile, 'token') - tokens, countRows(service.storeFile, 'used_proof') - proofs],
    [1, 1],
  )
})

test('a jti is used up for all records of its issuer, and for no other issuer', async t => {
  const other = await startIdentityProvider({ now: service.clock.wall })
  t.after(() => other.close())
  for (const tenant of ['one', 'two']) {
    await trust(service, other, { alias: tenant, token_types: ['id-jag'], require: { tenant } })
  }
  const by = await service.createAgent({ grantTypes: [JWT_BEARER], actsFor: ['issuer:one', 'issuer:two'] })
  const ask = async (tenant: string): Promise<Answer> => {
    const claims = { aud: service.baseUrl, client_id: by.clientId, jti: 'the same', scope: 'db:read', tenant }
    return presentIdJag(service, by, await subjectJwt(service, other, 'id-jag', { claims }))
  }
  tokenIn(await ask('one'))
  assert.equal(((await ask('two')).json as { error: string }).error, 'invalid_grant')
  tokenIn(await present({ jti: 'the same', scope: 'db:read' }))
})

test('a cnf needs the proof of its key, whose token is bound to it; all that is used once is kept or none', async () => {
  const key = makeProofKey()
  const jkt = await calculateJwkThumbprint(key.jwk)
  const nonce = await fetchNonce(service, agent)
  const assertion = await idJag({ scope: 'db:read', cnf: { jkt } })
  const proofFor = (one = key) => makeProof(one, { claims: { ...goodClaims(service), nonce } })
  const ask = (proof: string, fields = {}) => presentIdJag(service, agent, assertion, { dpop: proof, ...fields })
  const wrong = 'is not taken: cnf is not the key of the DPoP proof: send a proof of that key'
  assertWrong(await ask(proofFor(makeProofKey())), wrong)
  const proof = proofFor()
  assert.equal((await ask(proof, { scope: 'mail:send' })).status, 400)
  const token = tokenIn(await ask(proof))
  assert.deepEqual(claimsOf(token)['cnf'], { jkt })
})
