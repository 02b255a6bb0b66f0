// What a client that is not recognized is answered, by the way in which it tried, and the cause that the log alone has.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, askToken, basic, postForm } from '../../../../testkit/callers/requests.ts'
import { assertionFields, makeAssertion, REFUSED, registerKeys } from '../../../../testkit/keys/client-assertions.ts'
import { makeProofKey } from '../../../../testkit/keys/dpop.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'

const service = useService({ config: { logLevel: 'info' } })
const agent = service.agent()
const key = makeProofKey()

const cause = (): string | undefined =>
  [...service.log().matchAll(/"inside":"([^"]*)"/g)].map(([, inside = '']) => inside).at(-1)

const assert401 = (answer: Parameters<typeof assertError>[0], text: string, inside: string): void => {
  assertError(answer, 401, 'invalid_client', text)
  assert.equal(cause(), inside)
}

test('a wrong secret: the answer asks for a secret, and the log has the cause', async () => {
  const asking = (changed: Partial<AgentOfTest>) => askToken(service, { ...agent, ...changed })
  const unknown = 'the client has no live credential with this secret or key'
  assert401(await asking({ clientSecret: 'wrong' }), REFUSED.secret, unknown)
  assert401(await asking({ clientId: 'nobody' }), REFUSED.secret, 'no client has this client_id')
  const disabled = await service.createAgent()
  await service.disableAgent(disabled.agentId)
  assert401(await asking(disabled), REFUSED.secret, 'the agent is disabled')
  const malformed = { authorization: `${basic('a', 'b').authorization}!` }
  const answer = await postForm(service, '/oauth/token', { grant_type: 'client_credentials' }, malformed)
  assert401(answer, REFUSED.secret, 'the way of authentication is malformed, or none that the service has')
})

test('an assertion for the token endpoint: the answer asks for an assertion and names accept_token_endpoint', async () => {
  const asking = (one: AgentOfTest) => {
    const claims = { aud: `${service.baseUrl}/oauth/token` }
    const fields = assertionFields(makeAssertion(service, one, key, { claims }))
    return postForm(service, '/oauth/token', { grant_type: 'client_credentials', scope: 'db:read', ...fields })
  }
  await registerKeys(service, agent, [key.jwk])
  const why = 'aud is the token endpoint, which its credential was not registered for (accept_token_endpoint)'
  assert401(await asking(agent), REFUSED.assertion, why)
  assert.match(REFUSED.assertion, /accept_token_endpoint/)
  const taking = await service.createAgent()
  await registerKeys(service, taking, [key.jwk], { accept_token_endpoint: true })
  assert.equal((await asking(taking)).status, 200)
})
