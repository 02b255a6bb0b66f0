// Taking over the clients of another server.
import { z } from 'zod'
import { defaultScope, resources, scope } from './agent-settings.ts'
import { AGENT_ID, AUDIENCE } from './examples.ts'
import { atMost, hydraDocument, keycloakDocument } from './import-documents.ts'
import { uuidOrNull } from './fields.ts'
import { operation } from './operation.ts'
import { ACCESS } from './values/access.ts'
import { RESOURCES_MAX } from './values/audience.ts'
import { IMPORT_ADVICE, IMPORT_BYTES_MAX, IMPORT_VALUES_MAX, LEFT_OUT_MAX, SCOPE_MAP_MAX } from './values/bounds.ts'
import { parseScopePatterns, SCOPE_CHARACTERS_MAX, SCOPE_PATTERNS_PATTERN } from './values/scope.ts'

// For the document only: the map is refused in one sentence, which repeats no scope of another server.
const counterpart = z.string().meta({ pattern: SCOPE_PATTERNS_PATTERN, maxLength: SCOPE_CHARACTERS_MAX })

const scopeMap = z.record(z.string(), counterpart).transform((map, context): ReadonlyMap<string, readonly string[]> => {
  const parsed = new Map<string, readonly string[]>()
  for (const [theirs, ours] of Object.entries(map)) {
    const patterns = parseScopePatterns(ours)
    if (patterns !== undefined) parsed.set(theirs, patterns)
  }
  if (parsed.size === Object.keys(map).length) return parsed
  const message =
    'has a value that is not 1 to 16 items of the form resource:action (or resource:*), separated by single spaces'
  context.addIssue({ code: 'custom', message, params: { error: 'invalid_scope' } })
  return z.NEVER
})

const settings = {
  dry_run: z.boolean().optional().describe('Answer what would become of each client, and do nothing.'),
  scope: scope.optional().describe('What agents may ask for of whose own scopes none is taken.'),
  default_scope: defaultScope.optional().describe('What agents get by default that have no default of their own.'),
  scope_map: atMost(SCOPE_MAP_MAX, scopeMap).optional().describe('Their scopes, and what each stands for here.'),
  resources: atMost(RESOURCES_MAX, resources)
    .optional()
    .describe('The resources of agents of whose own audiences none is taken.'),
}

const outcome = z.object({
  client_id: z.string(),
  outcome: z.enum(['imported', 'exists', 'skipped', 'refused']),
  reason: z.string().nullable().describe('Why it was skipped or refused, as a code.'),
  description: z.string().nullable().describe('The same for people.'),
  agent_id: uuidOrNull.describe('Null unless it was imported, and in a dry run.'),
  name: z.string().nullable(),
  owner: z.string().nullable(),
  secret: z
    .enum(['kept', 'converted_at_first_use', 'new'])
    .nullable()
    .describe('What becomes of its secret; null unless it is imported.'),
  client_secret: z.string().nullable().describe('A new one, shown this once.'),
  scope: z.string().nullable(),
  default_scope: z.string().nullable(),
  resources: z.array(z.string()).readonly(),
  disabled: z.boolean(),
  scopes_left_out: z
    .array(z.string())
    .readonly()
    .describe(`Scopes of it that have no counterpart here, the first ${LEFT_OUT_MAX}.`),
  audiences_left_out: z
    .array(z.string())
    .readonly()
    .describe(`Audiences of it that are no absolute URIs, the first ${LEFT_OUT_MAX}.`),
})

const exampleBody = {
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

const example = {
  client_id: 'orders',
  outcome: 'imported',
  reason: null,
  description: null,
  agent_id: AGENT_ID,
  name: 'orders',
  owner: null,
  secret: 'converted_at_first_use',
  client_secret: null,
  scope: 'db:read reports:read',
  default_scope: 'db:read',
  resources: [AUDIENCE],
  disabled: false,
  scopes_left_out: ['offline'],
  audiences_left_out: [],
}

export const importClients = operation({
  route: 'POST /api/v1/imports',
  id: 'importClients',
  summary: 'Take over the clients of another server',
  access: ACCESS.writeAgents,
  body: z.discriminatedUnion(
    'source',
    [
      z.strictObject({ source: z.literal('keycloak'), document: keycloakDocument, ...settings }),
      z.strictObject({ source: z.literal('hydra'), document: hydraDocument, ...settings }),
    ],
    { error: 'is not keycloak or hydra' },
  ),
  bodyBytesMax: IMPORT_BYTES_MAX,
  bodyValues: { max: IMPORT_VALUES_MAX, advice: IMPORT_ADVICE },
  answers: {
    200: z.object({
      dry_run: z.boolean(),
      data: z.array(outcome).describe('What became of each client, in the order of the document.'),
    }),
  },
  example: { body: exampleBody, answer: { dry_run: false, data: [example] } },
})
