// Token exchange of JWTs of trusted issuers: what is refused, with which words, and that no reason is given before the signature is verified.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENT_CREDENTIALS, SUBJECT_TOKEN_TYPES } from '../../../../api/values/delegation.ts'
import { askExchange } from '../../../../testkit/callers/exchanges.ts'
import { type Answer, assertError, issue } from '../../../../testkit/callers/requests.ts'
import {
  CLIENT_ID,
  exchangerOf,
  PARTY,
  presentJwt,
  subjectJwt,
  type SubjectTokenType,
  trust,
} from '../../../../testkit/callers/subject-jwts.ts'
import type { JwtHeader } from '../../../../testkit/identity-providers/identity-provider.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'

const GENERIC =
  'The subject_token is neither an active access token of this service nor a JWT of an issuer from which this agent may exchange one.'
const RECEIVED = 'https://orders.example/v1'

const service = useService()
let agent: AgentOfTest

service.before(async () => {
  await trust(service, service.provider, { alias: 'acme', require: { hd: 'corp' } })
  agent = await service.createAgent(
    exchangerOf('acme', {
      receives: [RECEIVED],
      actsFor: ['*', 'issuer:acme:alice', 'issuer:acme:repo:org/app', `issuer:acme:${'s'.repeat(255)}`],
    }),
  )
})

type Other = { readonly claims?: object; readonly header?: JwtHeader }

const jwtOf = (type: SubjectTokenType, { claims, header = {} }: Other = {}): Promise<string> =>
  subjectJwt(service, service.provider, type, { claims: { hd: 'corp', ...claims }, header })

const present = async (type: SubjectTokenType, other?: Other, fields = {}): Promise<Answer> =>
  presentJwt(service, agent, await jwtOf(type, other), { as: type, ...fields })

const assertGeneric = (answer: Answer): void => assertError(answer, 400, 'invalid_request', GENERIC)

type Case = readonly [SubjectTokenType, Other]

const ALL: readonly SubjectTokenType[] = ['id_token', 'access_token', 'jwt']
const every = (other: Other): readonly Case[] => ALL.map(type => [type, other] as const)
const claims = (type: SubjectTokenType, some: object): Case => [type, { claims: some }]
const ofEvery = (some: object): readonly Case[] => every({ claims: some })

const typed = (type: SubjectTokenType, typ: unknown): Case => [type, { header: { typ } }]

const NOT_SENT = 'The subject_token was not sent to this agent: aud is not its client id there (issuer_clients).'
const NOT_SENT_HERE =
  'The subject_token was not sent to this agent: aud is neither its client id there (issuer_clients) nor what it receives.'
const NO_PARTY =
  "The subject_token is of a client (azp, client_id, appid, cid) that is none of the parties of its issuer's record."
const taken = (wrong: string): string => `The subject_token is not taken: ${wrong}.`
const now = (): number => Math.floor(service.clock.wall() / 1000)

/** Of each description the JWTs that it answers, all signed by a key of the issuer. */
const REFUSED: Readonly<Record<string, () => readonly Case[]>> = {
  'The subject_token has a typ that is not one of its subject_token_type.': () => [
    typed('id_token', 'at+jwt'),
    typed('jwt', 'application/at+JWT'),
    typed('access_token', 'JWT'),
    typed('access_token', undefined),
    ...ALL.map(type => typed(type, 'oauth-id-jag+jwt')),
  ],
  [taken('it is bound to a key (cnf): send one that is bound to none')]: () => [
    ...ofEvery({ cnf: { jkt: 'x'.repeat(43) } }),
    ...ofEvery({ cnf: null }),
  ],
  [taken('it has expired')]: () => [
    ...ofEvery({ exp: now() }),
    ...ofEvery({ exp: now() - 1 }),
    ...ofEvery({ exp: -1 }),
  ],
  [taken('exp is more than 86400 s away')]: () => ofEvery({ exp: now() + 86_402 }),
  [taken('exp is missing or not a time')]: () => [
    ...ofEvery({ exp: undefined }),
    ...ofEvery({ exp: String(now() + 300) }),
    ...ofEvery({ exp: null }),
  ],
  [taken('iat lies in the future')]: () => ofEvery({ iat: now() + 62 }),
  [taken('nbf lies in the future')]: () => ofEvery({ nbf: now() + 62 }),
  [taken('iat is not a time')]: () => ofEvery({ iat: 'now' }),
  'The subject_token has no sub of 1 to 255 visible ASCII characters.': () =>
    [undefined, null, '', 1, ['alice'], { toString: 1 }, 'al ice', 'alicé', 's'.repeat(256), 'a\u0000', 'a\n'].flatMap(
      sub => ofEvery({ sub }),
    ),
  'The subject_token is of a subject for whom this agent may not act.': () =>
    ['bob', 'Alice', 'alice:', 'repo', 'repo:org', 'repo:org/app:x', 's'.repeat(254), agent.agentId].flatMap(sub =>
      ofEvery({ sub }),
    ),
  [NOT_SENT]: () =>
    [
      undefined,
      null,
      '',
      RECEIVED,
      'other-app',
      CLIENT_ID.toUpperCase(),
      `${CLIENT_ID}/`,
      `${CLIENT_ID} `,
      [],
      [[CLIENT_ID]],
      [CLIENT_ID, null],
      { [CLIENT_ID]: 1 },
    ].map(aud => claims('id_token', { aud })),
  [NOT_SENT_HERE]: () =>
    (['access_token', 'jwt'] as const).flatMap(type =>
      [
        undefined,
        'other-app',
        [RECEIVED, null],
        `${RECEIVED}/`,
        'https://orders.example',
        'HTTPS://orders.example/v1',
        [],
        service.baseUrl,
      ].map(aud => claims(type, { aud })),
    ),
  'The subject_token was sent to several clients, and azp is not this one.': () =>
    [undefined, 'other-app', [CLIENT_ID]].map(azp => claims('id_token', { aud: ['other-app', CLIENT_ID], azp })),
  'The subject_token has a scope, which no ID token has.': () => [
    claims('id_token', { scope: 'db:read' }),
    claims('id_token', { scp: ['x'] }),
  ],
  [NO_PARTY]: () => [
    ...(['access_token', 'jwt'] as const).flatMap(type => [
      claims(type, { azp: undefined }),
      claims(type, { azp: undefined, '': PARTY }),
      claims(type, { azp: 'other', client_id: PARTY }),
      claims(type, { azp: null, client_id: PARTY }),
      claims(type, { azp: [PARTY] }),
      claims(type, { azp: undefined, client_id: 'other' }),
      claims(type, { azp: undefined, appid: 'other' }),
      claims(type, { azp: undefined, cid: 'other' }),
    ]),
    ...['other-app', null, [CLIENT_ID]].map(azp => claims('id_token', { azp })),
    claims('id_token', { appid: 'other-app' }),
  ],
  'The subject_token is an ID token: it has at_hash or c_hash.': () =>
    ['at_hash', 'c_hash'].flatMap(name => [claims('jwt', { [name]: 'x' }), claims('access_token', { [name]: 'x' })]),
}

for (const [description, cases] of Object.entries(REFUSED)) {
  test(`400: ${description}`, async () => {
    for (const [type, other] of cases()) {
      const answer = await present(type, other)
      assert.equal(answer.status, 400, `${type} ${JSON.stringify(other)}`)
      assertError(answer, 400, 'invalid_request', description)
    }
  })
}

test('what is as near to a refusal as it may be is taken', async () => {
  const fine: readonly Case[] = [
    ...ofEvery({ iat: now() + 60, nbf: now() + 60 }),
    ...ofEvery({ iat: undefined, nbf: undefined }),
    ...ofEvery({ exp: now() + 86_400 }),
    ...ofEvery({ sub: 'repo:org/app' }),
    ...ofEvery({ sub: 's'.repeat(255) }),
    typed('id_token', undefined),
    typed('jwt', 'application/JWT'),
    typed('access_token', 'application/at+jwt'),
    claims('id_token', { aud: [CLIENT_ID] }),
    claims('id_token', { azp: CLIENT_ID, at_hash: 'x', nonce: 'y' }),
    claims('id_token', { azp: PARTY }),
    claims('id_token', { aud: ['other-app', CLIENT_ID], azp: CLIENT_ID }),
    ...(['access_token', 'jwt'] as const).flatMap(type => [
      claims(type, { aud: [RECEIVED, 'other-app'] }),
      claims(type, { scope: 'of another API', groups: ['admin'], may_act: { sub: 'x' }, sub_id: { format: 'opaque' } }),
      claims(type, { azp: undefined, client_id: PARTY }),
      claims(type, { azp: undefined, appid: PARTY }),
      claims(type, { azp: undefined, cid: PARTY }),
    ]),
  ]
  for (const [type, other] of fine) {
    const answer = await present(type, other, { scope: 'db:read' })
    assert.equal(answer.status, 200, `${type} ${JSON.stringify(other)} ${answer.text}`)
  }
})

test('a JWT that leaves less than the shortest lifetime of an exchanged token', async () => {
  const answer = await present('id_token', { claims: { exp: now() + 14 } })
  const late = 'The subject_token expires in less than 15 s, the shortest lifetime of an exchanged token.'
  assertError(answer, 400, 'invalid_request', late)
})

test('a kind that the record does not have', async t => {
  const provider = await startIdentityProvider({ now: service.clock.wall })
  t.after(() => provider.close())
  await trust(service, provider, { alias: 'ids-only', token_types: ['id_token'] })
  const by = await service.createAgent(exchangerOf('ids-only'))
  const answer = await presentJwt(service, by, await subjectJwt(service, provider, 'jwt'), { as: 'jwt' })
  const other = 'The subject_token is of a kind that the record of its issuer does not trust (token_types).'
  assertError(answer, 400, 'invalid_request', other)
})

test('what is no JWT of an issuer from which the agent may exchange one has one text, and no key is fetched for it', async t => {
  const stranger = await startIdentityProvider({ now: service.clock.wall })
  t.after(() => stranger.close())
  const others = [
    await subjectJwt(service, stranger, 'id_token', { claims: { hd: 'corp' } }),
    // Signed by the key of another issuer, with its `kid` and without.
    await stranger.sign({ iss: service.provider.issuer, hd: 'corp', aud: CLIENT_ID, sub: 'alice', exp: now() + 300 }),
    await stranger.sign({ iss: service.provider.issuer, hd: 'corp', aud: 'x' }, { kid: undefined }),
    await jwtOf('id_token', { claims: { iss: `${service.provider.issuer}/` } }),
    await jwtOf('id_token', { claims: { iss: [service.provider.issuer] } }),
    await jwtOf('id_token', { claims: { iss: service.baseUrl } }),
    ...(await Promise.all(
      [{ hd: undefined }, { hd: 'Corp' }, { hd: ['corp'] }, { hd: 1 }, { tenant: 'x' }, { tenant: null }].map(some =>
        jwtOf('id_token', { claims: some }),
      ),
    )),
    await jwtOf('id_token', { header: { typ: 'logout+jwt' } }),
    await jwtOf('id_token', { header: { typ: 'secevent+jwt' } }),
    await jwtOf('id_token', { header: { typ: 'statuslist+jwt' } }),
    `${await jwtOf('id_token')}x`,
    'x',
  ]
  for (const type of ALL) {
    for (const text of others) assertGeneric(await presentJwt(service, agent, text, { as: type }))
  }
  assert.deepEqual(stranger.fetches, { metadata: 0, jwks: 0 })
})

test('an agent without an entry of the issuer hears nothing of it: not with `*`, and not with a label', async t => {
  const provider = await startIdentityProvider({ now: service.clock.wall })
  t.after(() => provider.close())
  await trust(service, provider, { alias: 'unused' })
  const jwt = await subjectJwt(service, provider, 'id_token')
  for (const actsFor of [[], ['*'], ['label:team=ops'], ['issuer:acme']]) {
    const by = await service.createAgent({ ...exchangerOf('unused'), actsFor, issuerClients: {} })
    assertGeneric(await presentJwt(service, by, jwt, { as: 'id_token' }))
  }
  assert.deepEqual(provider.fetches, { metadata: 0, jwks: 0 })
})

test('a token of this service is one by its own type alone', async () => {
  const own = await service.createAgent({ grantTypes: [CLIENT_CREDENTIALS] })
  const by = await service.createAgent({ ...exchangerOf('acme', { issuerClients: {} }), actsFor: ['*'], receives: [] })
  const token = await issue(service, own)
  for (const subject_token_type of [SUBJECT_TOKEN_TYPES.id_token, SUBJECT_TOKEN_TYPES.jwt]) {
    assertGeneric(await askExchange(service, by, token, { subject_token_type }))
  }
})

test('the order: client, grant, fields, then the JWT; a bad signature before whatever else is wrong', async () => {
  const [good, stolen] = [await jwtOf('id_token'), { ...agent, clientSecret: 'wrong' }]
  assert.equal((await presentJwt(service, stolen, good, { as: 'id_token' })).status, 401)
  const without = await service.createAgent({
    ...exchangerOf('acme', { issuerClients: {} }),
    grantTypes: [CLIENT_CREDENTIALS],
  })
  for (const text of [good, 'x']) {
    const answer = await presentJwt(service, without, text, { as: 'id_token' })
    assertError(answer, 400, 'unauthorized_client', 'This agent may not use this grant_type.')
  }
  const actor = 'No actor_token is taken: the actor is the agent that authenticates itself.'
  assertError(
    await presentJwt(service, agent, 'x', { as: 'id_token', actor_token: 'y' }),
    400,
    'invalid_request',
    actor,
  )
  const late = await jwtOf('id_token', { claims: { exp: 1, aud: 'other' }, header: { typ: 'at+jwt' } })
  assertGeneric(await presentJwt(service, agent, `${late.slice(0, -4)}AAAA`, { as: 'id_token' }))
})

test('nothing that was refused is kept, and no word of it is logged', async () => {
  const [principals, marker] = [countRows(service.storeFile, 'principal'), 'person-of-a-log']
  for (const type of ALL) {
    await present(type, { claims: { sub: marker } })
    await present(type, { claims: { aud: marker } })
    await present(type, { claims: { hd: marker } })
  }
  assert.equal(countRows(service.storeFile, 'principal'), principals)
  assert.ok(!service.log().includes(marker))
})
