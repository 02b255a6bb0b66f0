// The requests of the drills, as bytes on the wire.
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE } from '../../api/values/delegation.ts'

export type AgentAccess = { readonly clientId: string; readonly clientSecret: string }

/** What a client needs to know; it can be handed to another thread. */
export type Access = {
  readonly port: number
  /** An agent whose tokens outlive every drill. */
  readonly agent: AgentAccess
  /** An agent whose tokens live for SHORT_LIFETIME_SECONDS. */
  readonly shortLivedAgent: AgentAccess
  /** An agent that may exchange every token for the default audience. */
  readonly relay: AgentAccess
  readonly introspectionKey: string
  readonly readerKey: string
  readonly operatorJwt: string
}

export type EndingRequest = 'manual_revocation' | 'self_revocation'

const post = (path: string, header: string, fields: Readonly<Record<string, string>>): string => {
  const body = new URLSearchParams(fields).toString()
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    ...(header === '' ? [] : [header]),
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

export const issueRequest = ({ clientId, clientSecret }: AgentAccess, scope = 'db:read'): string =>
  post('/oauth/token', '', {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope,
  })

/** Returns a request that exchanges a token that was sent to the relay, or that it holds. */
export const exchangeRequest = ({ relay: { clientId, clientSecret } }: Access, token: string): string =>
  post('/oauth/token', '', {
    grant_type: TOKEN_EXCHANGE,
    subject_token: token,
    subject_token_type: ACCESS_TOKEN_TYPE,
    client_id: clientId,
    client_secret: clientSecret,
  })

export const introspectRequest = ({ introspectionKey }: Access, token: string): string =>
  post('/oauth/introspect/v2', `X-API-Key: ${introspectionKey}`, { token })

/** Returns a revocation by an operator, or by the client that got the token: the reason in history distinguishes them. */
export const revokeRequest = ({ operatorJwt, agent }: Access, token: string, by: EndingRequest): string => {
  if (by === 'manual_revocation') return post('/oauth/revoke', `Authorization: Bearer ${operatorJwt}`, { token })
  const basic = Buffer.from(`${agent.clientId}:${agent.clientSecret}`).toString('base64')
  return post('/oauth/revoke', `Authorization: Basic ${basic}`, { token })
}

export const readRequest = ({ readerKey }: Access, path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${readerKey}\r\n\r\n`

/** Returns a request of a resource server for the revocation feed. */
export const followRequest = ({ introspectionKey }: Access, path: string): string =>
  `GET /oauth/revocation-feed${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${introspectionKey}\r\n\r\n`

/** Returns a request of an operator. */
export const administerRequest = ({ operatorJwt }: Access, path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${operatorJwt}\r\n\r\n`

/** The kill switch, for all tokens of an agent unless given otherwise. */
export const endAllRequest = (
  { operatorJwt, agent }: Access,
  id: string,
  conditions: Readonly<Record<string, string>> = { agent_id: agent.clientId },
): string => {
  const body = JSON.stringify({ id, ...conditions, note: 'drill' })
  const head = [
    'POST /api/v1/revocations HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `Authorization: Bearer ${operatorJwt}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

type Claims = { readonly jti: string; readonly iat: number; readonly exp: number; readonly scope: string }

/** The claims of a token, unverified. */
export const claimsOf = (token: string): Claims =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Claims

export const tokenIn = (body: string): string => (JSON.parse(body) as { access_token: string }).access_token

/** The scope that an introspection returns of an active token. */
export const scopeIn = (body: string): string => (JSON.parse(body) as { scope: string }).scope

/** Whether an introspection says active; throws for a body that is neither of its two forms. */
export const isActiveIn = (body: string): boolean => {
  if (body === '{"active":false}') return false
  if ((JSON.parse(body) as { active: unknown }).active === true) return true
  throw new Error(`Not an introspection: ${body}`)
}
