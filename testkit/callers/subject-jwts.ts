// JWTs of a trusted issuer as subject tokens (RFC 8693) and assertions: who signs them, the agent to which they are sent, and how it
// presents them.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { JWT_BEARER, SUBJECT_TOKEN_TYPES, TOKEN_EXCHANGE } from '../../api/values/delegation.ts'
import type { IdentityProvider, JwtHeader } from '../identity-providers/identity-provider.ts'
import type { AgentOfTest, AgentOfTestRequest, TestServer } from '../services/test-server.ts'
import { admin, call } from './administration.ts'
import { askExchange } from './exchanges.ts'
import { type Answer, postForm } from './requests.ts'

export type SubjectTokenType = keyof typeof SUBJECT_TOKEN_TYPES

/** The agent's client id at the issuer, unless a test gives another. */
export const CLIENT_ID = 'assistant-app'
export const PARTY = 'web-app'

/** Trusts a provider for all kinds of JWTs. Returns the alias. */
export const trust = async (
  service: TestServer,
  { issuer, jwksUri }: Pick<IdentityProvider, 'issuer' | 'jwksUri'>,
  record: { readonly alias: string; readonly [member: string]: unknown },
): Promise<string> => {
  const body = {
    issuer,
    jwks_uri: jwksUri,
    token_types: ['id_token', 'access_token', 'jwt'],
    parties: [PARTY],
    scope: 'db:* mail:send',
    ...record,
  }
  const answer = await call(service, { method: 'POST', path: '/api/v1/issuers', body }, await admin(service))
  assert.equal(answer.status, 201, answer.text)
  return record.alias
}

/** An agent to which JWTs of the issuer are sent. */
export const exchangerOf = (alias: string, more: AgentOfTestRequest = {}): AgentOfTestRequest => ({
  grantTypes: [TOKEN_EXCHANGE],
  actsFor: [`issuer:${alias}`],
  issuerClients: { [alias]: CLIENT_ID },
  ...more,
})

const TYPS = { id_token: 'JWT', access_token: 'at+jwt', jwt: 'JWT', 'id-jag': 'oauth-id-jag+jwt' } as const

/** What only JWTs of this type say. */
const SAID = {
  id_token: () => ({}),
  access_token: () => ({ azp: PARTY }),
  jwt: () => ({ azp: PARTY }),
  'id-jag': () => ({ client_id: CLIENT_ID, jti: randomUUID() }),
} as const

/** A JWT that passes as the type, unless the claims or the header say otherwise; what is undefined is left out. */
export const subjectJwt = (
  service: Pick<TestServer, 'clock'>,
  provider: Pick<IdentityProvider, 'issuer' | 'sign'>,
  type: SubjectTokenType | 'id-jag',
  { claims = {}, header = {} }: { readonly claims?: object; readonly header?: JwtHeader } = {},
): Promise<string> => {
  const iat = Math.floor(service.clock.wall() / 1000)
  const usual = { iss: provider.issuer, aud: CLIENT_ID, sub: 'alice', iat, exp: iat + 600 }
  return provider.sign({ ...usual, ...SAID[type](), ...claims }, { typ: TYPS[type], ...header })
}

/** Presents a JWT as a type of subject token, with further fields, authenticated by the secret of the agent. */
export const presentJwt = (
  service: TestServer,
  agent: AgentOfTest,
  jwt: string,
  { as: type, ...fields }: { readonly as: SubjectTokenType; readonly [field: string]: string },
): Promise<Answer> => askExchange(service, agent, jwt, { subject_token_type: SUBJECT_TOKEN_TYPES[type], ...fields })

/** Presents an ID-JAG, authenticated by the secret of the agent, with further fields, and a DPoP proof where there is one. */
export const presentIdJag = (
  service: TestServer,
  { clientId, clientSecret }: AgentOfTest,
  assertion: string,
  { dpop, ...fields }: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  postForm(
    service,
    '/oauth/token',
    { grant_type: JWT_BEARER, assertion, client_id: clientId, client_secret: clientSecret, ...fields },
    dpop === undefined ? {} : { dpop },
  )
