// JWTs of a trusted issuer as subject tokens (RFC 8693): who signs them, the agent to which they are sent, and how it presents them.
import assert from 'node:assert/strict'
import { SUBJECT_TOKEN_TYPES, TOKEN_EXCHANGE } from '../../api/values/delegation.ts'
import type { IdentityProvider, JwtHeader } from '../identity-providers/identity-provider.ts'
import type { AgentOfTest, AgentOfTestRequest, TestServer } from '../services/test-server.ts'
import { admin, call } from './administration.ts'
import { askExchange } from './exchanges.ts'
import type { Answer } from './requests.ts'

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

/** A JWT that passes as the type, unless the claims or the header say otherwise; what is undefined is left out. */
export const subjectJwt = (
  service: Pick<TestServer, 'clock'>,
  provider: Pick<IdentityProvider, 'issuer' | 'sign'>,
  type: SubjectTokenType,
  { claims = {}, header = {} }: { readonly claims?: object; readonly header?: JwtHeader } = {},
): Promise<string> => {
  const iat = Math.floor(service.clock.wall() / 1000)
  const usual = { iss: provider.issuer, aud: CLIENT_ID, sub: 'alice', iat, exp: iat + 600 }
  const party = type === 'id_token' ? {} : { azp: PARTY }
  return provider.sign(
    { ...usual, ...party, ...claims },
    { typ: type === 'access_token' ? 'at+jwt' : 'JWT', ...header },
  )
}

/** Presents a JWT as a type of subject token, with further fields, authenticated by the secret of the agent. */
export const presentJwt = (
  service: TestServer,
  agent: AgentOfTest,
  jwt: string,
  { as: type, ...fields }: { readonly as: SubjectTokenType; readonly [field: string]: string },
): Promise<Answer> => askExchange(service, agent, jwt, { subject_token_type: SUBJECT_TOKEN_TYPES[type], ...fields })
