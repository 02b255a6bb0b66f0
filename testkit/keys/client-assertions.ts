// Client assertions as a client makes them, and as none should; and the credentials that take them.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { admin, call } from '../callers/administration.ts'
import { type Change, type ProofKey, signParts } from './dpop.ts'
import { type Answer, assertError, postForm } from '../callers/requests.ts'
import type { AgentOfTest, TestServer } from '../services/test-server.ts'

export const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** The descriptions of refusals, by the client's authentication method. */
export const REFUSED = {
  secret:
    'Client authentication failed: send client_id and client_secret of an enabled agent, in the form or by HTTP Basic.',
  assertion:
    'Client authentication failed: send a new client_assertion of an enabled agent, signed with a key registered for it, whose aud is the issuer; the token endpoint as aud takes a credential with accept_token_endpoint.',
  certificate:
    'Client authentication failed: connect with a certificate registered for the enabled agent whose client_id you send.',
} as const

export const credentialsOf = ({ agentId }: AgentOfTest): string => `/api/v1/agents/${agentId}/credentials`

/** Asks for a credential that trusts what is given. */
export const createTrust = async (service: TestServer, agent: AgentOfTest, body: object): Promise<Answer> =>
  call(
    service,
    { method: 'POST', path: credentialsOf(agent), body: { name: 'trusted', ...body } },
    await admin(service),
  )

/** The id of that credential, or the test fails. */
export const trust = async (service: TestServer, agent: AgentOfTest, body: object): Promise<string> => {
  const answer = await createTrust(service, agent, body)
  assert.equal(answer.status, 201, answer.text)
  return (answer.json as { credential_id: string }).credential_id
}

/** Registers keys; without a `kid` unless it is given. */
export const registerKeys = (
  service: TestServer,
  agent: AgentOfTest,
  keys: readonly object[],
  more: object = {},
): Promise<string> => trust(service, agent, { private_key_jwt: { jwks: { keys }, ...more } })

export const secondsOf = ({ clock }: Pick<TestServer, 'clock'>): number => Math.floor(clock.wall() / 1000)

/** The claims of a good assertion, now. */
export const assertionClaims = (service: TestServer, { clientId }: Pick<AgentOfTest, 'clientId'>): Change => ({
  iss: clientId,
  sub: clientId,
  aud: service.baseUrl,
  exp: secondsOf(service) + 60,
  iat: secondsOf(service),
  jti: randomUUID(),
})

/** What is to be other than in a good one; undefined leaves a member out. */
export type AssertionChange = { readonly header?: Change; readonly claims?: Change }

export const signAssertion = (key: ProofKey, claims: Change, header: Change = {}): string =>
  signParts(key, JSON.stringify({ alg: key.alg, ...header }), JSON.stringify(claims))

export const makeAssertion = (
  service: TestServer,
  agent: AgentOfTest,
  key: ProofKey,
  { header, claims }: AssertionChange = {},
): string => signAssertion(key, { ...assertionClaims(service, agent), ...claims }, header)

type Fields = Readonly<Record<string, string>>

export const assertionFields = (assertion: string): Fields => ({
  client_assertion_type: JWT_BEARER,
  client_assertion: assertion,
})

export const askAsserting = (service: TestServer, assertion: string, fields: Fields = {}): Promise<Answer> =>
  postForm(service, '/oauth/token', {
    grant_type: 'client_credentials',
    ...assertionFields(assertion),
    ...fields,
  })

export const revokeAsserting = (service: TestServer, assertion: string, token: string): Promise<Answer> =>
  postForm(service, '/oauth/revoke', { token, ...assertionFields(assertion) })

export const issueAsserting = async (service: TestServer, assertion: string, fields: Fields = {}): Promise<string> => {
  const answer = await askAsserting(service, assertion, fields)
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as { access_token: string }).access_token
}

/** Whatever was wrong: the answer names the way of authentication alone. */
export const assertRefused = (answer: Answer): void => {
  const { error_description: said } = answer.json as { error_description?: string }
  assertError(answer, 401, 'invalid_client', Object.values(REFUSED).find(text => text === said) ?? REFUSED.secret)
  assert.deepEqual(answer.challenges.length, 1)
}
