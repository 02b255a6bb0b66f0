// Token exchange of JWTs of trusted issuers (RFC 8693): what is granted for each kind, and what the token says of whom it acts for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { askExchange, exchange } from '../../../../testkit/callers/exchanges.ts'
import { type Answer, assertError, claimsOf, get, introspect } from '../../../../testkit/callers/requests.ts'
import {
  CLIENT_ID,
  exchangerOf,
  presentJwt,
  subjectJwt,
  type SubjectTokenType,
  trust,
} from '../../../../testkit/callers/subject-jwts.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { type AgentOfTest, AUDIENCE } from '../../../../testkit/services/test-server.ts'

const ORDERS = 'https://orders.example'
const MAIL = { scope: 'mail:send' }

const service = useService()
const introspector = service.apiKey('tokens:introspect')
const reader = service.apiKey('tokens:read')
const relay = service.agent({ grantTypes: [TOKEN_EXCHANGE], actsFor: ['*'], receives: [AUDIENCE] })
let agent: AgentOfTest

service.before(async () => {
  await trust(service, service.provider, { alias: 'acme', scope: 'db:* mail:send files:read' })
  agent = await service.createAgent(
    exchangerOf('acme', { scope: 'db:read mail:* files:read', receives: [ORDERS], defaultScope: null }),
  )
})

const tokenIn = ({ status, json, text }: Answer): string => {
  assert.equal(status, 200, text)
  return (json as { access_token: string }).access_token
}

const jwtOf = (type: SubjectTokenType, claims: object = {}): Promise<string> =>
  subjectJwt(service, service.provider, type, { claims })

const exchangeFor = async (sub: string, fields = {}): Promise<string> =>
  tokenIn(await presentJwt(service, agent, await jwtOf('id_token', { sub }), { as: 'id_token', ...fields }))

for (const type of ['id_token', 'access_token', 'jwt'] as const) {
  test(`${type}: a token for the subject, which says that the agent acts, as often as the JWT is presented`, async () => {
    const jwt = await jwtOf(type)
    const answers = [
      await presentJwt(service, agent, jwt, { as: type }),
      await presentJwt(service, agent, jwt, { as: type }),
    ]
    for (const answer of answers) {
      const { access_token: token, ...rest } = answer.json as { readonly access_token: string }
      assert.deepEqual(rest, {
        token_type: 'Bearer',
        expires_in: 240,
        scope: 'db:read files:read mail:send',
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      })
      const { sub, act, client_id, lineage, aud, scope, iat, exp } = claimsOf(token)
      assert.deepEqual([sub, act, client_id], ['acme:alice', { sub: agent.agentId }, agent.clientId])
      assert.deepEqual([lineage, aud, scope], [undefined, AUDIENCE, 'db:read files:read mail:send'])
      assert.equal(Number(exp) - Number(iat), 240)
      const seen = (await introspect(service, introspector.key, token)).json as Readonly<Record<string, unknown>>
      assert.deepEqual([seen['active'], seen['sub'], seen['act']], [true, 'acme:alice', { sub: agent.agentId }])
    }
    assert.equal(new Set(answers.map(({ text }) => text)).size, 2)
  })
}

test('the record says for whom it is, lists find it by its subject, and what is got for it keeps the subject', async () => {
  const root = await exchangeFor('erin', MAIL)
  const child = await exchange(service, relay, await exchangeFor('erin', { scope: 'db:read', resource: AUDIENCE }))
  const page = await get(service, '/api/v1/tokens?subject=acme:erin', { 'x-api-key': reader.key })
  const { data } = page.json as { readonly data: readonly Readonly<Record<string, unknown>>[] }
  assert.equal(data.length, 3)
  for (const { subject } of data)
    assert.deepEqual(subject, { issuer: 'acme', iss: service.provider.issuer, sub: 'erin' })
  const shown = data.find(({ id }) => id === claimsOf(root)['jti'])
  assert.deepEqual([shown?.['actors'], shown?.['parent_id'], shown?.['depth']], [[agent.agentId], null, 0])
  const { sub, act } = claimsOf(child)
  assert.deepEqual([sub, act], ['acme:erin', { sub: relay.agentId, act: { sub: agent.agentId } }])
})

test('subjects of any form have the prefix of their issuer, so that none is taken for an agent', async () => {
  const subs = [agent.agentId, 'repo:org/app:ref:refs/heads/main', '"\\,"iat":1,"exp":2,"jti":"', 's'.repeat(255), '~']
  for (const sub of subs) {
    const token = await exchangeFor(sub, MAIL)
    assert.equal(claimsOf(token)['sub'], `acme:${sub}`)
    const seen = (await introspect(service, introspector.key, token)).json as Readonly<Record<string, unknown>>
    assert.deepEqual([seen['active'], seen['sub']], [true, `acme:${sub}`])
  }
})

test('two issuers with the same sub are two persons, and so are two tenants of one issuer', async t => {
  const other = await startIdentityProvider({ now: service.clock.wall })
  t.after(() => other.close())
  await trust(service, other, { alias: 'one', require: { tid: 'one', hd: 'corp' } })
  await trust(service, other, { alias: 'two', require: { tid: 'two' } })
  const both = await service.createAgent({
    ...exchangerOf('one', { scope: 'mail:send', defaultScope: null }),
    actsFor: ['issuer:one', 'issuer:two'],
    issuerClients: { one: CLIENT_ID, two: CLIENT_ID },
  })
  const sent = async (claims: object) =>
    presentJwt(service, both, await subjectJwt(service, other, 'id_token', { claims }), { as: 'id_token' })
  assert.equal(claimsOf(tokenIn(await sent({ tid: 'one', hd: 'corp' })))['sub'], 'one:alice')
  assert.equal(claimsOf(tokenIn(await sent({ tid: 'two' })))['sub'], 'two:alice')
  assert.equal(claimsOf(await exchangeFor('alice', MAIL))['sub'], 'acme:alice')
  for (const claims of [{}, { tid: 'one' }, { tid: ['two'] }, { tid: 'Two' }, { tid: 'two', tenant: 'x' }]) {
    assert.equal((await sent(claims)).status, 400, JSON.stringify(claims))
  }
})

test('what the record allows bounds the scope, the audience and the lifetime, whatever the agent may have', async () => {
  const narrow = await startIdentityProvider({ now: service.clock.wall })
  try {
    await trust(service, narrow, { alias: 'narrow', scope: 'db:read', resources: [ORDERS], lifetime_seconds: 100 })
    const wide = exchangerOf('narrow', { scope: 'db:* mail:send', lifetimeSeconds: 3600 })
    const by = await service.createAgent(wide)
    const jwt = await subjectJwt(service, narrow, 'id_token')
    const ask = (fields: Readonly<Record<string, string>>) =>
      presentJwt(service, by, jwt, { as: 'id_token', ...fields })
    const { expires_in, scope } = (await ask({ resource: ORDERS })).json as Readonly<Record<string, unknown>>
    assert.deepEqual([expires_in, scope], [60, 'db:read'])
    const beyond = 'The scope holds mail:send, which is not among what the issuer of the JWT allows: db:read.'
    assertError(await ask({ resource: ORDERS, scope: 'db:read mail:send' }), 400, 'invalid_scope', beyond)
    const elsewhere = `This agent may not ask for the resource ${AUDIENCE}: the issuer of the JWT allows ${ORDERS}.`
    for (const fields of [{}, { resource: AUDIENCE }]) assertError(await ask(fields), 400, 'invalid_target', elsewhere)
  } finally {
    await narrow.close()
  }
})

test('no token outlives the JWT that it was got for: the longest lifetime in use that fits', async () => {
  const seconds = Math.floor(service.clock.wall() / 1000)
  for (const [left, expected] of [
    [600, 240],
    [239, 180],
    [16, 15],
    [15, 15],
  ] as const) {
    const jwt = await jwtOf('id_token', { exp: seconds + left })
    const { json } = await presentJwt(service, agent, jwt, { as: 'id_token', ...MAIL })
    assert.equal((json as { expires_in: number }).expires_in, expected, String(left))
  }
})

/** So many actors, of whom the issuer says that they acted; the last is like an agent of this service. */
const actors = (count: number): object => ({
  sub: count === 1 ? agent.agentId : `app-${count}`,
  ...(count > 1 && { act: actors(count - 1) }),
})

test('who acted before, as the issuer says, is kept below the agent by the name of that issuer, and is no agent', async () => {
  const iss = service.provider.issuer
  const act = { sub: 'app', exp: 1, act: { iss: 'https://else.example', sub: agent.agentId } }
  const foreign = { iss, sub: 'app', act: { iss: 'https://else.example', sub: agent.agentId } }
  const root = await presentJwt(service, agent, await jwtOf('access_token', { act }), {
    as: 'access_token',
    scope: 'db:read',
  })
  const child = await exchange(service, relay, tokenIn(root))
  for (const [token, expected] of [
    [tokenIn(root), { sub: agent.agentId, act: foreign }],
    [child, { sub: relay.agentId, act: { sub: agent.agentId, act: foreign } }],
  ] as const) {
    assert.deepEqual(claimsOf(token)['act'], expected)
    const seen = (await introspect(service, introspector.key, token)).json as Readonly<Record<string, unknown>>
    assert.deepEqual(seen['act'], expected)
    const record = await get(service, `/api/v1/tokens/${String(claimsOf(token)['jti'])}`, { 'x-api-key': reader.key })
    const { actors: agents } = record.json as { readonly actors: readonly string[] }
    assert.deepEqual(agents, token === child ? [relay.agentId, agent.agentId] : [agent.agentId])
  }
})

test('the actors that an issuer names count toward the most that a token may have, and each has a form', async () => {
  const present = async (act: unknown) =>
    presentJwt(service, agent, await jwtOf('access_token', { act }), { as: 'access_token', scope: 'db:read' })
  const deepest = tokenIn(await present(actors(8)))
  const last = await exchange(service, relay, tokenIn(await present(actors(7))))
  for (const token of [deepest, last]) assert.equal((await askExchange(service, relay, token)).status, 400)
  const wrong = 'The subject_token has an act that is no chain of at most 8 actors, each with its sub.'
  for (const act of [
    actors(9),
    null,
    'app',
    [],
    {},
    { sub: '' },
    { sub: 1 },
    { sub: 'a b' },
    { sub: 'a', iss: 1 },
    { sub: 'a', act: null },
  ]) {
    assertError(await present(act), 400, 'invalid_request', wrong)
  }
})

test('where one side allows all of a resource, and the other no item of it, the scope has to be named', async () => {
  const by = await service.createAgent(exchangerOf('acme', { scope: 'db:*', issuerClients: {}, receives: [ORDERS] }))
  const jwt = await jwtOf('access_token', { aud: ['https://else.example', ORDERS] })
  const none = 'This agent and the issuer of the JWT allow no scope in common that need not be named: send scope.'
  assertError(await presentJwt(service, by, jwt, { as: 'access_token' }), 400, 'invalid_scope', none)
  const { json } = await presentJwt(service, by, jwt, { as: 'access_token', scope: 'db:write' })
  assert.equal((json as { scope: string }).scope, 'db:write')
})
