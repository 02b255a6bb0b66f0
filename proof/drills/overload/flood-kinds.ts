// What each flood sends, and how: prebuilt bytes, so that making the load costs as little as it can.
import { randomUUID } from 'node:crypto'
import {
  basic,
  bearer,
  forgedToken,
  formRequest,
  introspection,
  requestOf,
  tokenRequest,
  wrongApiKey,
  wrongSecret,
} from '../strangers/requests.ts'
import type { Access } from '../requests.ts'

/**
 * `ask` sends the next request as soon as the last is answered. `reset` sends a whole request and resets the connection.
 * `slow` sends a byte a second. `half` sends half a request, waits, and closes.
 */
export type Manner = 'ask' | 'reset' | 'slow' | 'half'

export type Known = { readonly access: Access; readonly token: string }

type Flood = { readonly manner: Manner; readonly make: (known: Known) => Buffer }

const wrongSecretRequest = ({ access }: Known): Buffer => tokenRequest(access.agent.clientId, wrongSecret())

const FLOODS = {
  'wrong-secrets': { manner: 'ask', make: wrongSecretRequest },
  'unknown-clients': { manner: 'ask', make: () => tokenRequest(randomUUID(), wrongSecret()) },
  'wrong-api-keys': { manner: 'ask', make: ({ token }) => introspection(wrongApiKey(), token) },
  'forged-admin': {
    manner: 'ask',
    make: ({ access }) => requestOf('GET /api/v1/tokens', { headers: [bearer(forgedToken(access.operatorJwt))] }),
  },
  'forged-revoke': {
    manner: 'ask',
    make: ({ access, token }) =>
      formRequest('/oauth/revoke', `token=${token}`, [bearer(forgedToken(access.operatorJwt))]),
  },
  'wrong-secret-revoke': {
    manner: 'ask',
    make: ({ access, token }) =>
      formRequest('/oauth/revoke', `token=${token}`, [basic(access.agent.clientId, wrongSecret())]),
  },
  resets: { manner: 'reset', make: wrongSecretRequest },
  slow: { manner: 'slow', make: wrongSecretRequest },
  'half-requests': { manner: 'half', make: wrongSecretRequest },
  openapi: { manner: 'ask', make: () => requestOf('GET /openapi.json') },
  issues: { manner: 'ask', make: ({ access: { agent } }) => tokenRequest(agent.clientId, agent.clientSecret) },
} as const satisfies Readonly<Record<string, Flood>>

export type FloodName = keyof typeof FLOODS

export const FLOOD_NAMES: readonly FloodName[] = Object.keys(FLOODS) as FloodName[]

export const mannerOf = (name: FloodName): Manner => FLOODS[name].manner

const DIFFERENT = 512

/** Makes so many different requests that a service gains nothing by remembering the last. */
export const prebuild = (name: FloodName, known: Known): readonly Buffer[] => {
  const { make }: Flood = FLOODS[name]
  return Array.from({ length: DIFFERENT }, () => make(known))
}
