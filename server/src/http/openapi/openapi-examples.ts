// Examples of bodies and answers for the OpenAPI document, by operation. A test holds each against its schema.
import { OPERATIONS } from '../../../../api/operations.ts'
import { csvHeader, csvLine } from '../../domain/lists/csv.ts'
import { AUDIT_COLUMNS } from '../admin/export-audit.ts'
import { HISTORY_COLUMNS } from '../admin/export-history.ts'
import { TOKEN_COLUMNS } from '../admin/export-tokens.ts'
import { EXAMPLE_KEY } from '../../../../api/examples.ts'
import { SIGNING_KEY_EXAMPLES } from './signing-key-examples.ts'

/** `answer` of lines is one of them; `text` is the same in a media type that is no JSON. */
type Example = { readonly body?: unknown; readonly answer?: unknown; readonly text?: string }

const AGENT_ID = '7c1f6f5e-4b52-4a6c-9d0c-5f5b1f6a2f10'
const CREDENTIAL_ID = '2f0a0c0e-6f0b-4f43-8f7e-0c1d5f3b9a77'
const API_KEY_ID = '9b2d8a4c-1f3e-4c55-9a61-3f2b7d1c8e90'
const TOKEN_ID = '019aa5f0-7c3e-7b1a-9c55-8f4f0d2b6a31'
const REVOCATION_ID = '5d3c2b1a-8f7e-4d6c-b5a4-93827160f5e4'
const AUDIENCE = 'https://api.example.com'
const KID = EXAMPLE_KEY.kid
const [MADE, LATER, EXPIRY] = ['2026-11-21T09:30:00Z', '2026-11-21T09:32:10Z', '2026-11-21T09:35:00Z']
const OPERATOR = { type: 'operator', iss: 'https://login.example.com', sub: 'ada' } as const

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

const token = {
  id: TOKEN_ID,
  agent_id: AGENT_ID,
  client_id: AGENT_ID,
  credential_id: CREDENTIAL_ID,
  scope: 'db:read',
  audience: [AUDIENCE],
  kid: KID,
  issued_at: MADE,
  expires_at: EXPIRY,
}

const ending = {
  ended_at: LATER,
  termination_reason: 'manual_revocation' as const,
  ended_by: OPERATOR,
  note: 'seen in a log',
  revocation_id: null,
}

const revocation = {
  id: REVOCATION_ID,
  all: false,
  agent_id: AGENT_ID,
  credential_id: null,
  scope: 'db:write',
  audience: null,
  kid: null,
  issued_before: null,
  reason: 'bulk_revocation',
  note: 'the agent ran away',
  created_by: OPERATOR,
  created_at: LATER,
  state: 'open',
  tokens_moved: 0,
}

const entry = {
  n: 42,
  at: LATER,
  kind: 'agent.disable',
  actor: OPERATOR,
  source: '192.0.2.7',
  request_id: 'b2d8a4c0-1f3e-4c55-9a61-3f2b7d1c8e90',
  subject: AGENT_ID,
  note: null,
  detail: {},
}

const refusals = {
  minute: MADE,
  way: 'client',
  client_id: AGENT_ID,
  source: '192.0.2.7',
  count: 12,
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

const IMPORT = {
  source: 'hydra',
  document: [
    {
      client_id: 'orders',
      client_name: 'orders',
      client_secret: '$pbkdf2-sha256$i=25000,l=32$…',
      scope: 'db:read reports-read offline',
      grant_types: ['client_credentials'],
    },
  ],
  default_scope: 'db:read',
  scope_map: { 'reports-read': 'reports:read' },
  resources: [AUDIENCE],
}

const imported = {
  client_id: 'orders',
  outcome: 'imported',
  reason: null,
  description: null,
  agent_id: AGENT_ID,
  name: 'orders',
  secret: 'converted_at_first_use',
  client_secret: null,
  scope: 'db:read reports:read',
  default_scope: 'db:read',
  resources: [AUDIENCE],
  disabled: false,
  scopes_left_out: ['offline'],
  audiences_left_out: [],
}

const ended = { ...token, ...ending }

export const EXAMPLES: Readonly<Record<string, Example>> = {
  ...Object.fromEntries(OPERATIONS.flatMap(({ id, example }) => (example === undefined ? [] : [[id, example]]))),
  listTokens: { answer: pageOf(token) },
  listHistory: { answer: pageOf(ended) },
  showToken: { answer: { ...token, state: 'ended', ...ending } },
  revokeTokenById: {
    body: { reason: 'secret_leaked', note: 'seen in a log' },
    answer: { ...token, state: 'ended', ...ending, termination_reason: 'secret_leaked' },
  },
  createRevocation: {
    body: { agent_id: AGENT_ID, scope: 'db:write', note: 'the agent ran away' },
    answer: revocation,
  },
  showRevocation: { answer: { ...revocation, state: 'closed', tokens_moved: 17 } },
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
  ...SIGNING_KEY_EXAMPLES,
  importClients: { body: IMPORT, answer: { dry_run: false, data: [imported] } },
  exportTokens: { answer: token, text: csvHeader(TOKEN_COLUMNS) + csvLine(TOKEN_COLUMNS, token) },
  exportHistory: { answer: ended, text: csvHeader(HISTORY_COLUMNS) + csvLine(HISTORY_COLUMNS, ended) },
  exportAudit: { answer: entry, text: csvHeader(AUDIT_COLUMNS) + csvLine(AUDIT_COLUMNS, entry) },
  listAudit: { answer: pageOf(entry) },
  listRefusals: { answer: pageOf(refusals) },
}
