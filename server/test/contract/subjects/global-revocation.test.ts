// POST /oauth/global-token-revocation (draft-parecki-oauth-global-token-revocation-06): an issuer ends what was issued for its subject,
// by a JWT of its own.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { admin, call, JSON_TYPE } from '../../../../testkit/callers/administration.ts'
import { exchange } from '../../../../testkit/callers/exchanges.ts'
import { type Answer, bearer, claimsOf, get, send } from '../../../../testkit/callers/requests.ts'
import { presentIdJag, presentJwt, subjectJwt } from '../../../../testkit/callers/subject-jwts.ts'
import { ATTACKER_JWKS } from '../../../../testkit/forgeries/forgeries.ts'
import { weaknessesOf } from '../../../../testkit/forgeries/weaknesses.ts'
import type { JwtHeader } from '../../../../testkit/identity-providers/identity-provider.ts'
import { setTrap } from '../../../../testkit/identity-providers/trap.ts'
import { type IssuerWorld, useIssuerWorlds } from '../../../../testkit/services/issuer-worlds.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { makeVerifyPause } from '../../../../testkit/services/verify-pause.ts'
import { AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { countRows, execBeside, readRow } from '../../../../testkit/stores/store-file.ts'

const PATH = '/oauth/global-token-revocation'
const TYP = 'global-token-revocation+jwt'
const UNKNOWN = 'The bearer token is not a JWT of a trusted issuer for this endpoint, or was used before.'
const CALLERS = 50

const verifying = makeVerifyPause()
const service = useService({ break: verifying.inFront })
const { makeWorld, tokenFor, areActive } = useIssuerWorlds(service)
const relay = service.agent({ grantTypes: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE], actsFor: ['*'], receives: [AUDIENCE] })

const seconds = (): number => Math.floor(service.clock.wall() / 1000)

/** As Okta sends it: `nbf` lies in the past. What is undefined is left out. */
const jwtOf = ({ provider }: Pick<IssuerWorld, 'provider'>, claims: object = {}, header: JwtHeader = {}) => {
  const now = seconds()
  const usual = { iss: provider.issuer, sub: 'okta-instance', aud: service.baseUrl + PATH, jti: randomUUID() }
  return provider.sign({ ...usual, iat: now, nbf: now - 300, exp: now + 300, ...claims }, { typ: TYP, ...header })
}

const subjectOf = ({ provider }: IssuerWorld, sub = 'alice') => ({ format: 'iss_sub', iss: provider.issuer, sub })

const ask = (body: object, headers: Readonly<Record<string, string>>): Promise<Answer> =>
  send(service, { method: 'POST', path: PATH, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) })

/** Asks with the JWT to end what alice has. */
const end = (world: IssuerWorld, jwt: string): Promise<Answer> => ask({ sub_id: subjectOf(world) }, bearer(jwt))

const assertUnknown = ({ status, json, headers }: Answer): void => {
  assert.deepEqual([status, json], [401, { error: 'invalid_token', error_description: UNKNOWN }])
  assert.equal(headers['www-authenticate'], `Bearer realm="${service.baseUrl}", error="invalid_token"`)
}

const countRevocations = (): number => countRows(service.storeFile, 'cutoff')

test('it ends what acts for the subject, at any depth and by any agent, and nothing else; later tokens live', async () => {
  const [world, other] = [await makeWorld(), await makeWorld()]
  const alice = await tokenFor(world, 'alice')
  const passedOn = await exchange(service, relay, await exchange(service, relay, alice))
  const spared = [await tokenFor(world, 'bob'), await tokenFor(other, 'alice')]
  const { status, text } = await end(world, await jwtOf(world))
  assert.deepEqual([status, text], [204, ''])
  assert.deepEqual(await areActive(alice, passedOn, ...spared), [false, false, true, true])
  assert.deepEqual(await areActive(await tokenFor(world, 'alice')), [true])
  const path = `/api/v1/tokens/history?subject=${world.alias}%3Aalice`
  const { data } = (await get(service, path, await admin(service))).json as {
    data: Readonly<Record<string, unknown>>[]
  }
  const by = { type: 'issuer', id: world.alias }
  assert.deepEqual(
    data.map(one => [one['termination_reason'], one['ended_by']]),
    data.map(() => ['bulk_revocation', by]),
  )
  assert.equal(data.length, 3)
  const revocation = await get(
    service,
    `/api/v1/revocations/${String(data[0]?.['revocation_id'])}`,
    await admin(service),
  )
  assert.partialDeepStrictEqual(revocation.json, { subject: `${world.alias}:alice`, created_by: by })
  const audit = await get(service, `/api/v1/audit?actor_type=issuer&actor_id=${world.alias}`, await admin(service))
  assert.equal((audit.json as { data: unknown[] }).data.length, 1)
})

test('a subject for whom nothing was issued is 204 too: a token that is being written does not slip through', async () => {
  const world = await makeWorld()
  assert.equal((await end(world, await jwtOf(world))).status, 204)
})

test('the subject stands in sub_id, or in subject as earlier drafts have it; never in both, and in no other format', async () => {
  const world = await makeWorld()
  const subject = subjectOf(world)
  assert.equal((await ask({ subject, more: 1 }, bearer(await jwtOf(world)))).status, 204)
  const email = { format: 'email', email: 'alice@example.com' }
  const named = [email, { ...subject, sub: 'a b' }, 'alice', [subject]].map(one => ({ sub_id: one }))
  const bodies = [{}, { sub_id: subject, subject }, ...named]
  const jwt = await jwtOf(world)
  for (const body of bodies) {
    const answer = await ask(body, bearer(jwt))
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.equal((answer.json as { error: string }).error, 'invalid_request')
  }
  // What was refused did not use it up.
  assert.equal((await ask({ sub_id: subject }, bearer(jwt))).status, 204)
})

/** What is wrong with a JWT of the issuer. */
const WRONG: Readonly<Record<string, () => { readonly claims?: object; readonly header?: JwtHeader }>> = {
  'of no type': () => ({ header: { typ: undefined } }),
  'of the type of an ID token': () => ({ header: { typ: 'JWT' } }),
  'of the type of an access token': () => ({ header: { typ: 'at+jwt' } }),
  'for this service, and not for this endpoint': () => ({ claims: { aud: service.baseUrl } }),
  'for this endpoint with a slash': () => ({ claims: { aud: `${service.baseUrl}${PATH}/` } }),
  'for this endpoint among others': () => ({ claims: { aud: [service.baseUrl + PATH, 'https://else.example'] } }),
  'for nobody': () => ({ claims: { aud: undefined } }),
  'of an issuer that nobody trusts': () => ({ claims: { iss: 'https://nobody.example' } }),
  'without an end': () => ({ claims: { exp: undefined } }),
  'that is over': () => ({ claims: { exp: seconds() - 60 } }),
  'that lives for more than an hour': () => ({ claims: { exp: seconds() + 3601 } }),
  'that does not say when it was made': () => ({ claims: { iat: undefined } }),
  'made in the future': () => ({ claims: { iat: seconds() + 61 } }),
  'that is not valid yet': () => ({ claims: { nbf: seconds() + 61 } }),
  'without an id': () => ({ claims: { jti: undefined } }),
  'with an id that is a number': () => ({ claims: { jti: 7 } }),
  'with an id that is too long': () => ({ claims: { jti: 'a'.repeat(257) } }),
  'with an id that is no text': () => ({ claims: { jti: '\ud800' } }),
  'that was made to live for longer': () => ({ claims: { iat: seconds() - 3400 } }),
  'bound to a key': () => ({ claims: { cnf: { jkt: 'a' } } }),
}

for (const [what, make] of Object.entries(WRONG)) {
  test(`a JWT ${what} is 401, and ends nothing`, async () => {
    const world = await makeWorld()
    const kept = countRevocations()
    const { claims, header } = make()
    assertUnknown(await end(world, await jwtOf(world, claims, header)))
    assert.equal(countRevocations(), kept)
  })
}

test('a JWT with the media type in its typ, and its one audience in a list, is taken', async () => {
  const world = await makeWorld()
  const aud = [service.baseUrl + PATH]
  assert.equal((await end(world, await jwtOf(world, { aud }, { typ: `application/${TYP.toUpperCase()}` }))).status, 204)
})

test('an issuer ends its own subjects alone: with another key it is 401, of another issuer 403', async () => {
  const [world, other] = [await makeWorld(), await makeWorld()]
  const alice = await tokenFor(world, 'alice')
  assertUnknown(await end(world, await jwtOf(other, { iss: world.provider.issuer })))
  const answer = await end(world, await jwtOf(other))
  assert.deepEqual([answer.status, (answer.json as { error: string }).error], [403, 'insufficient_scope'])
  assert.deepEqual(await areActive(alice), [true])
})

test('where an issuer names its subjects by oid its sub is nobody here: 400, in words', async () => {
  const world = await makeWorld({ subject_claim: 'oid' })
  const answer = await end(world, await jwtOf(world))
  assert.equal(answer.status, 400)
  assert.match(answer.text, /named by oid/)
})

test('of an issuer that is disabled nothing is taken; of two tenants each by its own claim', async () => {
  const one = await makeWorld({ require: { tid: 'one' } })
  const two = await makeWorld({ provider: one.provider, require: { tid: 'two' } })
  const [ofOne, ofTwo] = [await tokenFor(one, 'alice', { tid: 'one' }), await tokenFor(two, 'alice', { tid: 'two' })]
  assertUnknown(await end(one, await jwtOf(one)))
  assert.equal((await end(one, await jwtOf(one, { tid: 'one' }))).status, 204)
  assert.deepEqual(await areActive(ofOne, ofTwo), [false, true])
  const path = `/api/v1/issuers/${two.alias}/disable`
  await call(service, { method: 'POST', path, body: {} }, await admin(service))
  assertUnknown(await end(two, await jwtOf(two, { tid: 'two' })))
})

test('of fifty callers with one JWT one ends the tokens, and the others hear of it; for another subject it is used up', async () => {
  const world = await makeWorld()
  const jwt = await jwtOf(world)
  const kept = countRevocations()
  const answers = await Promise.all(Array.from({ length: CALLERS }, () => end(world, jwt)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204]))
  assert.equal(countRevocations(), kept + 1)
  const { until } = readRow(service.storeFile, 'select max(until) as until from used_proof')
  assert.equal(until, 1000 * (Number(claimsOf(jwt)['exp']) + 60) - 1)
  // What was issued since is not ended by a JWT that was seen, and nobody else's is.
  const [alice, bob] = [await tokenFor(world, 'alice'), await tokenFor(world, 'bob')]
  assert.equal((await end(world, jwt)).status, 204)
  assertUnknown(await ask({ sub_id: subjectOf(world, 'bob') }, bearer(jwt)))
  assert.deepEqual(await areActive(alice, bob), [true, true])
})

const MEANWHILE: Readonly<Record<string, (alias: string) => readonly [method: string, path: string, body?: object]>> = {
  disabled: alias => ['POST', `${alias}/disable`, {}],
  deleted: alias => ['DELETE', alias],
  'given other keys': alias => ['PATCH', alias, { jwks_uri: 'https://idp.example/jwks' }],
}

for (const [what, make] of Object.entries(MEANWHILE)) {
  test(`an issuer that is ${what} after its JWT was verified ends nothing: 503, and the JWT is not used up`, async () => {
    const world = await makeWorld()
    const [method, path, body] = make(world.alias)
    const jwt = await jwtOf(world)
    verifying.next(async () => call(service, { method, path: `/api/v1/issuers/${path}`, body }, await admin(service)))
    const kept = countRows(service.storeFile, 'used_proof')
    const answer = await end(world, jwt)
    assert.deepEqual([answer.status, countRows(service.storeFile, 'used_proof')], [503, kept], answer.text)
  })
}

test('while the keys of an issuer cannot be read it is 503, and later the same JWT is taken', async () => {
  const world = await makeWorld({ jwks_uri: 'http://127.0.0.1:9/jwks' })
  const jwt = await jwtOf(world)
  assert.equal((await end(world, jwt)).status, 503)
  const body = { jwks_uri: world.provider.jwksUri }
  await call(service, { method: 'PATCH', path: `/api/v1/issuers/${world.alias}`, body }, await admin(service))
  assert.equal((await end(world, jwt)).status, 204)
})

test('where the log takes no entry it is 500: nothing has ended, and the JWT is not used up', async () => {
  const world = await makeWorld()
  const alice = await tokenFor(world, 'alice')
  const jwt = await jwtOf(world)
  await execBeside(service.storeFile, 'alter table audit rename to gone')
  assert.equal((await end(world, jwt)).status, 500)
  await execBeside(service.storeFile, 'alter table gone rename to audit')
  assert.deepEqual(await areActive(alice), [true])
  assert.equal((await end(world, jwt)).status, 204)
})

test('the id of a JWT is of its issuer, and of this use: that of another, or of an ID-JAG, is another', async () => {
  const [world, other] = [await makeWorld(), await makeWorld()]
  const jti = 'seven'
  const claims = { aud: service.baseUrl, scope: 'db:read', jti }
  const idJag = await subjectJwt(service, world.provider, 'id-jag', { claims })
  assert.equal((await presentIdJag(service, world.agent, idJag)).status, 200)
  for (const one of [world, other]) assert.equal((await end(one, await jwtOf(one, { jti }))).status, 204)
  assertUnknown(await ask({ sub_id: subjectOf(world, 'bob') }, bearer(await jwtOf(world, { jti }))))
})

test('without a bearer token it is 401 with the challenge, and nothing else authenticates', async () => {
  const world = await makeWorld()
  const { key } = await service.createApiKey('tokens:revoke')
  for (const headers of [{}, { 'x-api-key': key }, { authorization: 'Basic YTpi' }]) {
    const answer = await ask({ sub_id: subjectOf(world) }, headers)
    assert.deepEqual([answer.status, answer.headers['www-authenticate']], [401, `Bearer realm="${service.baseUrl}"`])
  }
  assertUnknown(await end(world, await service.provider.operatorJwt()))
  assertUnknown(await end(world, await subjectJwt(service, world.provider, 'id_token')))
})

test('such a JWT gets no token, whatever else it says', async () => {
  const world = await makeWorld({ token_types: ['id_token', 'access_token', 'jwt', 'id-jag'] })
  const claims = { aud: 'assistant-app', azp: 'web-app', scope: 'db:read' }
  for (const as of ['id_token', 'access_token', 'jwt'] as const) {
    const { scope: _, ...said } = claims
    const answer = await presentJwt(service, world.agent, await jwtOf(world, as === 'id_token' ? said : claims), { as })
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.text, /neither an active access token of this service nor a JWT/)
  }
  const idJag = await jwtOf(world, { aud: service.baseUrl, client_id: 'assistant-app', scope: 'db:read' })
  assert.equal((await presentIdJag(service, world.agent, idJag)).status, 400)
})

test('every known weakness of verifiers is 401, and no key is looked for elsewhere', async t => {
  const trap = await setTrap(ATTACKER_JWKS)
  t.after(() => trap.close())
  const world = await makeWorld()
  const kept = countRevocations()
  // Its sub is the caller, who may call itself anything.
  for (const { name, forge } of weaknessesOf('ES256').filter(one => !/^sub (?!twice)/.test(one.name))) {
    const text = await jwtOf(world, {}, { alg: 'ES256' })
    const header = JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString()) as { alg: string }
    const genuine = { text, key: world.provider.keyOf('ES256'), header, claims: claimsOf(text), trap: trap.address }
    assert.equal((await end(world, forge(genuine))).status, 401, name)
  }
  assert.deepEqual([trap.visits(), countRevocations()], [0, kept])
})
