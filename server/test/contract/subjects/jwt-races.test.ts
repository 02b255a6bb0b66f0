// Token exchange of JWTs of trusted issuers while an issuer, an agent, or keys change: between the decision and the write, and beside others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { type AgentsApi, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { exchange } from '../../../../testkit/callers/exchanges.ts'
import { type Answer, assertError, introspect, issue } from '../../../../testkit/callers/requests.ts'
import { exchangerOf, presentJwt, subjectJwt, trust } from '../../../../testkit/callers/subject-jwts.ts'
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../../../testkit/identity-providers/identity-provider.ts'
import { makeInsertPause } from '../../../../testkit/services/insert-pause.ts'
import { makeVerifyPause } from '../../../../testkit/services/verify-pause.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { type AgentOfTest, AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'

const GENERIC =
  'The subject_token is neither an active access token of this service nor a JWT of an issuer from which this agent may exchange one.'

const pause = makeInsertPause()

const verifying = makeVerifyPause()

const service = useService({ break: ports => verifying.inFront(pause.inFront(ports)) })
const introspector = service.apiKey('tokens:introspect')
const relay = service.agent({ grantTypes: [TOKEN_EXCHANGE], actsFor: ['*'], receives: [AUDIENCE] })
let api: AgentsApi
let aliases = 0

service.before(async () => {
  api = await makeAgentsApi(service)
})

const change = async (method: string, path: string, body?: object): Promise<unknown> => {
  const answer = await call(service, { method, path: `/api/v1/issuers/${path}`, body }, await admin(service))
  assert.ok(answer.status < 300, answer.text)
  return answer.json
}

type World = { readonly alias: string; readonly provider: IdentityProvider; readonly agent: AgentOfTest }

const makeWorld = async (more = {}): Promise<World> => {
  aliases += 1
  const alias = `issuer-${aliases}`
  const provider = await startIdentityProvider({ now: service.clock.wall })
  await trust(service, provider, { alias, scope: 'db:read db:write' })
  return { alias, provider, agent: await service.createAgent(exchangerOf(alias, { scope: 'db:*', ...more })) }
}

const exchangeIn = async ({ provider, agent }: World, claims: object = {}, fields = {}): Promise<Answer> =>
  presentJwt(service, agent, await subjectJwt(service, provider, 'id_token', { claims }), { as: 'id_token', ...fields })

const isActive = async (token: string): Promise<unknown> =>
  ((await introspect(service, introspector.key, token)).json as { active: unknown }).active

const tokenIn = ({ status, json, text }: Answer): string => {
  assert.equal(status, 200, text)
  return (json as { access_token: string }).access_token
}

/** What may happen meanwhile, and how the exchange is answered then. */
const MEANWHILE: Readonly<Record<string, readonly [(world: World) => Promise<unknown>, string]>> = {
  'the issuer is disabled': [({ alias }) => change('POST', `${alias}/disable`, {}), GENERIC],
  'the issuer is deleted': [({ alias }) => change('DELETE', alias), GENERIC],
  'the entry of the agent is removed': [
    ({ agent }) => api.patch(agent.agentId, { acts_for: [] }),
    'The subject_token is of a subject for whom this agent may not act.',
  ],
  'the client id of the agent is removed': [
    ({ agent }) => api.patch(agent.agentId, { issuer_clients: {} }),
    'The subject_token was not sent to this agent: aud is not its client id there (issuer_clients).',
  ],
}

for (const [what, [act, description]] of Object.entries(MEANWHILE)) {
  for (const when of ['before the token is written', 'after the signature was verified'] as const) {
    test(`${what} ${when}: no token`, async t => {
      const world = await makeWorld()
      t.after(() => world.provider.close())
      const kept = countRows(service.storeFile, 'token')
      const work = () => act(world)
      if (when === 'before the token is written') pause.next(work)
      else verifying.next(work)
      assertError(await exchangeIn(world), 400, 'invalid_request', description)
      assert.deepEqual([pause.isPending(), verifying.isPending()], [false, false])
      assert.equal(countRows(service.storeFile, 'token'), kept)
    })
  }
}

test('what the record allows is narrowed before the token is written: it has what is allowed then', async t => {
  const world = await makeWorld()
  t.after(() => world.provider.close())
  pause.next(() => change('PATCH', world.alias, { scope: 'db:read', lifetime_seconds: 60 }))
  const { json } = await exchangeIn(world)
  assert.partialDeepStrictEqual(json, { scope: 'db:read', expires_in: 60 })
})

test('other keys or algorithms of the record after the signature was verified: 503, and no other request of the group', async t => {
  const [world, other] = [await makeWorld(), await makeWorld()]
  t.after(() => Promise.all([world.provider.close(), other.provider.close()]))
  for (const some of [{ jwks_uri: `${world.provider.issuer}/new` }, { algorithms: ['RS256'] }]) {
    const both = Promise.withResolvers<undefined>()
    let verified = 0
    // They go on in one turn, and so are of one group.
    verifying.each(async () => {
      verified += 1
      if (verified < 2) return both.promise
      await change('PATCH', world.alias, some)
      return both.resolve(undefined)
    })
    const [one, beside] = await Promise.all([exchangeIn(world), exchangeIn(other)])
    verifying.each(undefined)
    const tryAgain = 'The record of the issuer changed while its JWT was verified: try again.'
    assert.deepEqual([one.status, one.json], [503, { error: 'temporarily_unavailable', error_description: tryAgain }])
    tokenIn(beside)
    await change('PATCH', world.alias, { jwks_uri: world.provider.jwksUri, algorithms: ['ES256'] })
  }
})

test('disabling ends every token for the subjects, at any depth; enabling gives new ones and brings none back', async t => {
  const world = await makeWorld()
  t.after(() => world.provider.close())
  const [own, root] = [await issue(service, await service.createAgent()), tokenIn(await exchangeIn(world))]
  const child = await exchange(service, relay, root)
  await change('POST', `${world.alias}/disable`, {})
  assert.deepEqual([await isActive(root), await isActive(child), await isActive(own)], [false, false, true])
  assertError(await exchangeIn(world), 400, 'invalid_request', GENERIC)
  await change('POST', `${world.alias}/enable`, {})
  assert.deepEqual([await isActive(root), await isActive(tokenIn(await exchangeIn(world)))], [false, true])
})

test('an issuer whose keys hang delays nobody else, and its own request is 503', async t => {
  const [hanging, fine] = [await makeWorld(), await makeWorld()]
  t.after(() => Promise.all([hanging.provider.close(), fine.provider.close()]))
  hanging.provider.fail('hang')
  const waiting = exchangeIn(hanging)
  for (let n = 0; n < 5; n += 1) tokenIn(await exchangeIn(fine))
  await hanging.provider.close()
  const { status } = await waiting
  assert.equal(status, 503)
})

test("of 50 callers at the limit of an agent that ends its oldest none ends another person's token", async t => {
  const world = await makeWorld({ liveTokensMax: 2, atLiveTokensMax: 'supersede' })
  t.after(() => world.provider.close())
  const bob = tokenIn(await exchangeIn(world, { sub: 'bob' }))
  const answers = await Promise.all(Array.from({ length: 50 }, () => exchangeIn(world)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  const alive = await Promise.all(answers.map(answer => isActive(tokenIn(answer))))
  assert.deepEqual([await isActive(bob), alive.filter(Boolean).length], [true, 1])
  const third = await exchangeIn(world, { sub: 'carol' })
  assert.equal(third.status, 429)
})

test('a flood of keys that nobody has fetches them twice at most', async t => {
  const world = await makeWorld()
  t.after(() => world.provider.close())
  tokenIn(await exchangeIn(world))
  const before = world.provider.fetches.jwks
  const forged = await subjectJwt(service, world.provider, 'id_token')
  const [, payload, signature] = forged.split('.')
  const flood = Array.from({ length: 100 }, (_, n) => {
    const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: `none-${n}` })).toString('base64url')
    return presentJwt(service, world.agent, [header, payload, signature].join('.'), { as: 'id_token' })
  })
  const statuses = new Set((await Promise.all(flood)).map(({ status }) => status))
  assert.ok(
    [...statuses].every(status => status === 400 || status === 503),
    [...statuses].join(' '),
  )
  assert.ok(world.provider.fetches.jwks - before <= 2, String(world.provider.fetches.jwks - before))
})
