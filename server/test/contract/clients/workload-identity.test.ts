// Workload identity: an agent trusts the tokens that another issuer gives a workload, and at most one agent matches.
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import {
  askAsserting,
  assertRefused,
  createTrust,
  credentialsOf,
  issueAsserting,
  revokeAsserting,
  secondsOf,
  signAssertion,
  trust,
} from '../../../../testkit/keys/client-assertions.ts'
import { makeProofKey } from '../../../../testkit/keys/dpop.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import { type Answer, assertProblem, claimsOf, introspect, issue } from '../../../../testkit/callers/requests.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Body = Readonly<Record<string, unknown>>

const service = useService()
let platform: Awaited<ReturnType<typeof startIdentityProvider>>
let agent: AgentOfTest
let subjects = 0
let subject: string

service.before(async () => {
  platform = await startIdentityProvider({ algorithms: ['RS256', 'ES256'], now: service.clock.wall })
})
after(() => platform.close())

beforeEach(async () => {
  agent = await service.createAgent()
  subjects += 1
  subject = `repo:acme/site${subjects}:ref:refs/heads/main`
})

const workload = (more: object = {}) => ({ workload_identity: { issuer: platform.issuer, subject, ...more } })

const token = (claims: Body = {}, header: Body = {}): Promise<string> => {
  const iat = secondsOf(service)
  return platform.sign(
    { iss: platform.issuer, sub: subject, aud: service.baseUrl, iat, exp: iat + 600, ...claims },
    header,
  )
}

const assertAsked = (answer: Answer): void => assert.equal(answer.status, 200, answer.text)

const idOf = (answer: Answer): unknown => (answer.json as Body)['id']

test('a token of the platform gets tokens of the agent that trusts it, without client_id, again and again', async () => {
  const id = await trust(service, agent, workload())
  const presented = await token({ jti: 'shared' })
  for (let n = 0; n < 3; n += 1) {
    const { sub, client_id } = claimsOf(await issueAsserting(service, presented))
    assert.deepEqual([sub, client_id], [agent.agentId, agent.clientId])
  }
  assertAsked(await askAsserting(service, await token({}, { alg: 'ES256' }), { client_id: agent.clientId }))
  const path = `${credentialsOf(agent)}/${id}`
  const shown = (await call(service, { method: 'GET', path }, await admin(service))).json as Body
  assert.deepEqual(shown['workload_identity'], { issuer: platform.issuer, subject, audience: null, jwks_uri: null })
  assert.deepEqual([shown['kind'], shown['live_tokens']], ['workload_identity', { count: 4, exact: true }])
})

test('a token that differs in issuer, subject, audience, time or kind is refused', async () => {
  await trust(service, agent, workload())
  const now = secondsOf(service)
  const wrong: readonly Body[] = [
    { iss: `${platform.issuer}/` },
    { iss: undefined },
    { iss: 7 },
    { sub: `${subject}x` },
    { sub: subject.slice(0, -1) },
    { sub: `${subject} ` },
    { sub: undefined },
    { sub: [subject] },
    { aud: 'https://elsewhere.example' },
    { aud: [service.baseUrl, 'https://elsewhere.example'] },
    { aud: [] },
    { aud: undefined },
    { exp: now - 60 },
    { exp: now + 86_401 },
    { exp: undefined },
    { nbf: now + 61 },
  ]
  for (const claims of wrong) assertRefused(await askAsserting(service, await token(claims)))
  for (const typ of ['at+jwt', 'dpop+jwt', 'logout+jwt'])
    assertRefused(await askAsserting(service, await token({}, { typ })))
  for (const claims of [{ aud: [service.baseUrl] }, { exp: now + 86_400 }]) {
    assertAsked(await askAsserting(service, await token(claims)))
  }
})

test('an audience that is configured takes the place of the issuer of this service', async () => {
  await trust(service, agent, workload({ audience: 'mintmark' }))
  assertAsked(await askAsserting(service, await token({ aud: ['mintmark'] })))
  assertRefused(await askAsserting(service, await token()))
})

test('a client_id that is not the client whose workload it is, is refused', async () => {
  await trust(service, agent, workload())
  const { clientId } = await service.createAgent()
  assertRefused(await askAsserting(service, await token(), { client_id: clientId }))
})

test('a * at the end trusts every subject that begins so, and no other', async () => {
  const whole = subject
  await trust(service, agent, workload({ subject: `${whole}/*` }))
  for (const sub of [`${whole}/`, `${whole}/a`, `${whole}/*`])
    assertAsked(await askAsserting(service, await token({ sub })))
  for (const sub of [whole, `${whole}x/a`, `x${whole}/a`])
    assertRefused(await askAsserting(service, await token({ sub })))
})

test('among many patterns each subject finds its own agent', async () => {
  const agents = new Map<string, AgentOfTest>()
  for (const end of ['a/', 'b/x', 'c/', 'c0', 'z/']) {
    const own = await service.createAgent()
    await trust(service, own, workload({ subject: `${subject}/${end}*` }))
    agents.set(end, own)
  }
  for (const [end, own] of agents) {
    const { sub } = claimsOf(await issueAsserting(service, await token({ sub: `${subject}/${end}zz` })))
    assert.equal(sub, own.agentId)
  }
  for (const end of ['a', 'b/', 'b/w', 'c', 'd']) {
    assertRefused(await askAsserting(service, await token({ sub: `${subject}/${end}` })))
  }
})

test('patterns that differ in case or in punctuation alone find each its own agent, and lock no other out', async () => {
  const agents = new Map<string, AgentOfTest>()
  for (const end of ['acme/', 'ACME/', 'a-cme/', 'a.cme/', 'acme_x/', 'Acme-']) {
    const own = await service.createAgent()
    await trust(service, own, workload({ subject: `${subject}/${end}*` }))
    agents.set(end, own)
  }
  for (const [end, own] of agents) {
    for (const rest of ['a', 'A', '-', 'zz']) {
      const { sub } = claimsOf(await issueAsserting(service, await token({ sub: `${subject}/${end}${rest}` })))
      assert.equal(sub, own.agentId, `${end}${rest}`)
    }
  }
})

test('a pattern overlaps another whatever else is registered between them in the order of a language', async () => {
  for (const other of ['s/aB0*', 's/a-b*', 's/AB*']) await trust(service, agent, workload({ subject: subject + other }))
  const id = await trust(service, agent, workload({ subject: `${subject}s/abz*` }))
  const answer = await createTrust(service, await service.createAgent(), workload({ subject: `${subject}s/ab*` }))
  assert.deepEqual([answer.status, idOf(answer)], [409, id])
})

const OVERLAPS: readonly (readonly [string, string, boolean])[] = [
  ['s/a', 's/a', true],
  ['s/a*', 's/a*', true],
  ['s/a*', 's/a', true],
  ['s/a', 's/a*', true],
  ['s/a*', 's/abc', true],
  ['s/abc', 's/a*', true],
  ['s/a*', 's/ab*', true],
  ['s/ab*', 's/a*', true],
  ['s/a', 's/b', false],
  ['s/ab*', 's/a', false],
  ['s/ab*', 's/ac*', false],
  ['s/a', 's/ab*', false],
]

for (const [first, second, overlaps] of OVERLAPS) {
  test(`${first} and then ${second} of one issuer: ${overlaps ? '409, and nothing is kept' : 'both are taken'}`, async () => {
    const place = (pattern: string) => workload({ subject: `${subject}/${pattern}` })
    const id = await trust(service, agent, place(first))
    const credentials = countRows(service.storeFile, 'credential')
    for (const other of [await service.createAgent(), agent]) {
      const answer = await createTrust(service, other, place(second))
      if (!overlaps) return assert.equal(answer.status, 201, answer.text)
      assert.deepEqual([answer.status, idOf(answer)], [409, id])
    }
    // Of the other agent one more, its secret.
    assert.equal(countRows(service.storeFile, 'credential'), credentials + 1)
    assert.equal(
      (
        await createTrust(
          service,
          agent,
          workload({ subject: `${subject}/${second}`, issuer: 'https://other.example' }),
        )
      ).status,
      201,
    )
  })
}

test('of ten that configure one subject at the same time one does', async () => {
  const agents = await Promise.all(Array.from({ length: 10 }, () => service.createAgent()))
  const answers = await Promise.all(agents.map(one => createTrust(service, one, workload())))
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, ...Array.from({ length: 9 }, () => 409)],
  )
})

test('a 409 makes nothing under its Idempotency-Key, which a repeat may then use', async () => {
  const first = await trust(service, agent, workload())
  const other = await service.createAgent()
  const headers = { ...(await admin(service)), 'idempotency-key': `subject-${subjects}` }
  const body = { name: 'trusted', ...workload() }
  const create = () => call(service, { method: 'POST', path: credentialsOf(other), body }, headers)
  assert.deepEqual([(await create()).status, idOf(await create())], [409, first])
  const path = `${credentialsOf(agent)}/${first}/revoke`
  assertAsked(await call(service, { method: 'POST', path, body: {} }, await admin(service)))
  assert.equal((await create()).status, 201)
  assert.equal((await create()).status, 409)
})

test('a subject is free again once its credential is revoked or its agent deleted, not once it has expired', async () => {
  const other = await service.createAgent()
  const expires = new Date(service.clock.wall() + 1000).toISOString()
  const id = await trust(service, agent, { ...workload(), expires_at: expires })
  service.clock.advance(1000)
  assertRefused(await askAsserting(service, await token()))
  assert.equal((await createTrust(service, other, workload())).status, 409)
  const path = `${credentialsOf(agent)}/${id}/revoke`
  assertAsked(await call(service, { method: 'POST', path, body: {} }, await admin(service)))
  await trust(service, other, workload())
  assert.equal(claimsOf(await issueAsserting(service, await token()))['sub'], other.agentId)
  await call(service, { method: 'DELETE', path: `/api/v1/agents/${other.agentId}` }, await admin(service))
  assertRefused(await askAsserting(service, await token()))
  await trust(service, agent, workload())
  assert.equal(claimsOf(await issueAsserting(service, await token()))['sub'], agent.agentId)
})

test('revoking the credential ends what the workload got, and the workload ends its own tokens until then', async () => {
  const { key } = await service.createApiKey('tokens:introspect')
  const id = await trust(service, agent, workload())
  const [one, two] = [await issueAsserting(service, await token()), await issueAsserting(service, await token())]
  assertAsked(await revokeAsserting(service, await token(), one))
  const foreign = await issue(service, await service.createAgent())
  assert.equal((await revokeAsserting(service, await token(), foreign)).status, 400)
  const active = async () =>
    Promise.all([one, two, foreign].map(async text => ((await introspect(service, key, text)).json as Body)['active']))
  assert.deepEqual(await active(), [false, true, true])
  const path = `${credentialsOf(agent)}/${id}/revoke`
  assertAsked(await call(service, { method: 'POST', path, body: {} }, await admin(service)))
  assert.deepEqual(await active(), [false, false, true])
  assertRefused(await revokeAsserting(service, await token(), two))
})

test('this service is no issuer of workloads, and none of its tokens is an assertion', async () => {
  const own = workload({ issuer: service.baseUrl, subject: agent.agentId })
  const description = 'workload_identity.issuer is this service, which is no issuer of workloads.'
  assertProblem(await createTrust(service, agent, own), 400, 'invalid_request', description)
  await trust(service, agent, workload())
  const access = await issue(service, agent, { resource: service.baseUrl })
  assertRefused(await askAsserting(service, access))
  assertRefused(await askAsserting(service, await token({ iss: service.baseUrl })))
})

test('a JWT-SVID without iss is of its trust domain, and with one it is not', async () => {
  const key = makeProofKey()
  const svid = 'spiffe://prod.example/ns/shop/sa/cart'
  platform.publicJwks.push({ ...key.jwk, kid: 'svid', use: 'jwt-svid' })
  const needed = workload({ issuer: 'spiffe://prod.example', subject: svid })
  const needs = 'workload_identity.issuer is a trust domain, whose keys stand at no known address: send jwks_uri.'
  assertProblem(await createTrust(service, agent, needed), 400, 'invalid_request', needs)
  await trust(service, agent, workload({ issuer: 'spiffe://prod.example', subject: svid, jwks_uri: platform.jwksUri }))
  const sign = (claims: Body) =>
    signAssertion(key, { sub: svid, aud: [service.baseUrl], exp: secondsOf(service) + 300, ...claims }, { kid: 'svid' })
  assertAsked(await askAsserting(service, sign({})))
  for (const claims of [
    { iss: platform.issuer },
    { sub: 'spiffe://prod.example.evil/ns/shop/sa/cart' },
    { sub: `${svid}/x` },
  ]) {
    assertRefused(await askAsserting(service, sign(claims)))
  }
})

test('where the platform does not answer: 503, and its tokens are taken again once it does', async () => {
  const broken = await startIdentityProvider({ algorithms: ['ES256'], now: service.clock.wall })
  await trust(service, agent, workload({ issuer: broken.issuer }))
  const now = secondsOf(service)
  const presented = await broken.sign({ iss: broken.issuer, sub: subject, aud: service.baseUrl, exp: now + 600 })
  broken.fail('error')
  assert.equal((await askAsserting(service, presented)).status, 503)
  broken.fail('other_issuer')
  service.clock.advance(16_000)
  assert.equal((await askAsserting(service, presented)).status, 503)
  broken.recover()
  service.clock.advance(16_000)
  assertAsked(await askAsserting(service, presented))
  await broken.close()
})
