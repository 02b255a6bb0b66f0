// A workload's assertion at the jwt-bearer grant (RFC 7521 §4.1): client credentials by another name, without client authentication.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENT_CREDENTIALS, JWT_BEARER } from '../../../../api/values/delegation.ts'
import {
  assertionFields,
  makeAssertion,
  registerKeys,
  trust as trustWorkload,
} from '../../../../testkit/keys/client-assertions.ts'
import { makeProofKey } from '../../../../testkit/keys/dpop.ts'
import { type Answer, assertError, claimsOf, postForm } from '../../../../testkit/callers/requests.ts'
import { subjectJwt, trust } from '../../../../testkit/callers/subject-jwts.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { type AgentOfTest, AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { readRows } from '../../../../testkit/stores/store-file.ts'

const SUBJECT = 'system:serviceaccount:billing:reporter'
const REFUSED =
  'The assertion is none of a workload that an enabled agent trusts, and an ID-JAG needs client authentication.'

const service = useService()
const agent = service.agent()
let other: AgentOfTest

service.before(async () => {
  other = await service.createAgent({ grantTypes: [JWT_BEARER] })
  for (const [one, subject] of [
    [agent, SUBJECT],
    [other, 'other'],
  ] as const) {
    await trustWorkload(service, one, { workload_identity: { issuer: service.provider.issuer, subject } })
  }
  await trust(service, service.provider, { alias: 'acme', token_types: ['id-jag'] })
})

const assertionOf = (claims: object = {}, header = {}): Promise<string> =>
  subjectJwt(service, service.provider, 'id_token', {
    claims: { sub: SUBJECT, aud: [service.baseUrl], ...claims },
    header,
  })

const present = (assertion: string, fields = {}): Promise<Answer> =>
  postForm(service, '/oauth/token', { grant_type: JWT_BEARER, assertion, ...fields })

test('the assertion gets a token of the agent in its own name, as often as it is presented, with a client id or without', async () => {
  const assertion = await assertionOf()
  for (const fields of [{}, { client_id: agent.clientId }, { scope: 'db:write' }]) {
    const { status, json, text } = await present(assertion, fields)
    assert.equal(status, 200, text)
    const { access_token: token, ...rest } = json as { readonly access_token: string }
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 300, scope: 'scope' in fields ? 'db:write' : 'db:read' })
    const { sub, aud, act } = claimsOf(token)
    assert.deepEqual([sub, aud, act], [agent.agentId, AUDIENCE, undefined])
  }
})

test('what is no assertion of a trusted workload is 400 invalid_grant, and counts as a failed authentication', async () => {
  const good = await assertionOf()
  const wrong = [
    'x',
    `${good.slice(0, -4)}AAAA`,
    await assertionOf({ sub: 'nobody' }),
    await assertionOf({ aud: 'x' }),
    await assertionOf({ exp: 1 }),
    await assertionOf({ iss: agent.clientId, sub: agent.clientId }),
    await assertionOf({}, { typ: 'at+jwt' }),
  ]
  for (const assertion of wrong) assertError(await present(assertion), 400, 'invalid_grant', REFUSED)
  assertError(await present(good, { client_id: other.clientId }), 400, 'invalid_grant', REFUSED)
  await service.settle()
  const [row] = readRows(service.storeFile, "select sum(count) as n from refused where way = 'client'")
  assert.ok(Number(row?.['n']) >= wrong.length, JSON.stringify(row))
})

test('it needs the grant of client credentials', async () => {
  const answer = await present(await assertionOf({ sub: 'other' }))
  assertError(answer, 400, 'unauthorized_client', 'This agent may not use this grant_type.')
})

test('an ID-JAG needs client authentication', async () => {
  const assertion = await assertionOf({}, { typ: 'oauth-id-jag+jwt' })
  for (const fields of [{}, { client_id: agent.clientId }]) {
    const { status, json } = await present(assertion, fields)
    assert.deepEqual([status, (json as { error: string }).error], [401, 'invalid_client'])
  }
})

test("a client's own assertion is none, whatever key signed it", async () => {
  const own = await service.createAgent()
  const key = makeProofKey()
  await registerKeys(service, own, [key.jwk])
  const assertion = makeAssertion(service, own, key)
  assertError(await present(assertion), 400, 'invalid_grant', REFUSED)
  const fields = { grant_type: CLIENT_CREDENTIALS, ...assertionFields(assertion) }
  assert.equal((await postForm(service, '/oauth/token', fields)).status, 200)
})

test('one of an agent that is disabled is refused as any other', async () => {
  const stopped = await service.createAgent()
  await trustWorkload(service, stopped, { workload_identity: { issuer: service.provider.issuer, subject: 'stopped' } })
  await service.disableAgent(stopped.agentId)
  assertError(await present(await assertionOf({ sub: 'stopped' })), 400, 'invalid_grant', REFUSED)
})
