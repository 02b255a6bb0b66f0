// Things to create in a store, each new: an agent, a credential, an API key, a session.
import { randomBytes, randomUUID } from 'node:crypto'
import { BLANK_SETTINGS } from '../../server/src/domain/clients/change-agent.ts'
import { START } from './store.ts'

export const newAgent = () => {
  const identity = { ...BLANK_SETTINGS, id: randomUUID(), clientId: randomUUID(), name: randomUUID(), scopes: ['db:*'] }
  return {
    ...identity,
    resources: ['*'],
    credential: { id: randomUUID(), secretHash: randomBytes(32).toString('hex') },
  }
}

export const newApiKey = () => ({
  id: randomUUID(),
  name: 'gateway',
  permissions: ['tokens:introspect'] as const,
  audiences: null,
  keyHash: randomBytes(32).toString('hex'),
  expiry: null,
})

export const newIssuer = () => ({
  alias: randomUUID().slice(0, 30),
  issuer: `https://${randomUUID()}.example`,
  subjectClaim: 'sub' as const,
  required: {},
  jwksUri: null,
  algorithms: ['ES256', 'RS256'] as const,
  tokenTypes: ['id_token'] as const,
  parties: [],
  scopes: ['db:read'],
  resources: ['*'],
  lifetimeSeconds: 240,
})

export const newSession = () => ({
  id: randomUUID(),
  secretHash: randomBytes(32).toString('hex'),
  iss: 'https://idp.example',
  sub: 'ada',
  name: null,
  sealedTokens: randomBytes(40),
  expiresAt: START,
})

export const newCredential = () => ({
  id: randomUUID(),
  name: 'second',
  secretHash: randomBytes(32).toString('hex'),
  expiry: null,
})
