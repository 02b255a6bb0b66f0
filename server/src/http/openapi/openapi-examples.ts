// Examples of bodies and answers for the OpenAPI document, by operation. A test holds each against its schema.
import { OPERATIONS } from '../../../../api/operations.ts'

/** `answer` of lines is one of them; `text` is the same in a media type that is no JSON. */
type Example = { readonly body?: unknown; readonly answer?: unknown; readonly text?: string }

const AGENT_ID = '7c1f6f5e-4b52-4a6c-9d0c-5f5b1f6a2f10'
const CREDENTIAL_ID = '2f0a0c0e-6f0b-4f43-8f7e-0c1d5f3b9a77'
const API_KEY_ID = '9b2d8a4c-1f3e-4c55-9a61-3f2b7d1c8e90'
const AUDIENCE = 'https://api.example.com'
const [MADE, LATER] = ['2026-11-21T09:30:00Z', '2026-11-21T09:32:10Z']

const credential = {
  credential_id: CREDENTIAL_ID,
  agent_id: AGENT_ID,
  name: 'second',
  kind: 'client_secret' as const,
  created_at: MADE,
  expires_at: null,
  last_used_at: LATER,
  revoked_at: null,
  suspended_at: null,
  live_tokens: { count: 17, exact: true },
}

const apiKey = {
  api_key_id: API_KEY_ID,
  name: 'billing',
  permissions: ['tokens:introspect'],
  audiences: [AUDIENCE],
  created_at: MADE,
  expires_at: null,
  last_used_at: LATER,
  revoked_at: null,
  suspended_at: null,
}

const leaked = {
  result: 'revoked',
  kind: 'credential',
  agent_id: AGENT_ID,
  credential_id: CREDENTIAL_ID,
  api_key_id: null,
}

const pageOf = (record: object) => ({ data: [record], next_cursor: null })

const GRACE = { grace_seconds: 3600 }

export const EXAMPLES: Readonly<Record<string, Example>> = {
  ...Object.fromEntries(OPERATIONS.flatMap(({ id, example }) => (example === undefined ? [] : [[id, example]]))),
  revokeLeakedSecrets: {
    body: [{ token: 'mmc_…', type: 'mintmark_client_secret', url: 'https://github.com/…', source: 'content' }],
    answer: { data: [leaked] },
  },
  createCredential: {
    body: { name: 'second', expires_at: '2027-11-21T00:00:00Z' },
    answer: { ...credential, expires_at: '2027-11-21T00:00:00Z', last_used_at: null, client_secret: 'mmc_…' },
  },
  listCredentials: { answer: pageOf(credential) },
  showCredential: { answer: credential },
  rotateCredential: {
    body: GRACE,
    answer: {
      ...credential,
      last_used_at: null,
      client_secret: 'mmc_…',
      replaces: { credential_id: 'b0e7c0de-3a3b-4f1c-8a55-6d5e4f3c2b1a', expires_at: '2026-11-21T10:30:00Z' },
    },
  },
  revokeCredential: {
    body: { reason: 'secret_leaked', note: 'seen in a log' },
    answer: { ...credential, revoked_at: LATER, live_tokens: { count: 0, exact: true } },
  },
  createApiKey: {
    body: { name: 'billing', permissions: ['tokens:introspect'], audiences: [AUDIENCE] },
    answer: { ...apiKey, last_used_at: null, api_key: 'mma_…' },
  },
  listApiKeys: { answer: pageOf(apiKey) },
  showApiKey: { answer: apiKey },
  rotateApiKey: {
    body: GRACE,
    answer: {
      ...apiKey,
      last_used_at: null,
      api_key: 'mma_…',
      replaces: { api_key_id: 'd4c3b2a1-0f9e-4d8c-9b7a-6f5e4d3c2b1a', expires_at: '2026-11-21T10:30:00Z' },
    },
  },
  revokeApiKey: { body: { note: 'left the team' }, answer: { ...apiKey, revoked_at: LATER } },
}
