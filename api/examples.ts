// Values that the examples of several operations share.

export const ISSUER = 'https://tokens.example.com'
export const RELAY_ID = '7a2e8d2f-5b6b-4d74-8e10-3c2b8d4f0b21'
export const AGENT_ID = '7c1f6f5e-4b52-4a6c-9d0c-5f5b1f6a2f10'
export const CREDENTIAL_ID = '2f0a0c0e-6f0b-4f43-8f7e-0c1d5f3b9a77'
export const API_KEY_ID = '9b2d8a4c-1f3e-4c55-9a61-3f2b7d1c8e90'
export const TOKEN_ID = '019aa5f0-7c3e-7b1a-9c55-8f4f0d2b6a31'
export const REVOCATION_ID = '5d3c2b1a-8f7e-4d6c-b5a4-93827160f5e4'
export const AUDIENCE = 'https://api.example.com'
export const JWT = 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.…'
export const [MADE, LATER, EXPIRY] = [
  '2026-11-21T09:30:00.000Z',
  '2026-11-21T09:32:10.000Z',
  '2026-11-21T09:35:00.000Z',
]
export const OPERATOR = { type: 'operator', iss: 'https://login.example.com', sub: 'ada' }
export const NAMES = { agent_name: 'reports', owner: 'Ada' }
export const GRACE = { grace_seconds: 3600 }

const KEY_ID = 'Vb3rV0mJcZ2mIY8mXx0ZJk5m1c8k1yq2nq2n0t1cH9k'
export const EXAMPLE_KEY = { kty: 'EC', crv: 'P-256', x: KEY_ID, y: KEY_ID, kid: KEY_ID, alg: 'ES256', use: 'sig' }
