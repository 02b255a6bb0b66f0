// Examples of bodies and answers for the OpenAPI document, by operation. A test holds each against its schema.
import { OPERATIONS } from '../../../../api/operations.ts'
import { SIGNING_KEY_EXAMPLES } from './signing-key-examples.ts'

/** `answer` of lines is one of them; `text` is the same in a media type that is no JSON. */
type Example = { readonly body?: unknown; readonly answer?: unknown; readonly text?: string }

const AGENT_ID = '7c1f6f5e-4b52-4a6c-9d0c-5f5b1f6a2f10'
const AUDIENCE = 'https://api.example.com'

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

export const EXAMPLES: Readonly<Record<string, Example>> = {
  ...Object.fromEntries(OPERATIONS.flatMap(({ id, example }) => (example === undefined ? [] : [[id, example]]))),
  ...SIGNING_KEY_EXAMPLES,
  importClients: { body: IMPORT, answer: { dry_run: false, data: [imported] } },
}
