// Taking over the clients of another server as agents, with the client ids and secrets that they have there.
import { z } from 'zod'
import { newSettings } from './agent-settings.ts'
import { AGENT_ID, AUDIENCE } from './examples.ts'
import { atMost, textOrNull, timeMember, uuidOrNull } from './fields.ts'
import { operation } from './operation.ts'
import { ACCESS } from './values/access.ts'
import { IMPORT_BYTES_MAX, IMPORT_VALUES_MAX, IMPORTED_AGENTS_MAX } from './values/limits.ts'

const importedAgent = newSettings
  .extend({
    client_id: z.string().describe('1 to 255 printable ASCII characters, without spaces around them.'),
    client_secret: z
      .string()
      .nullish()
      .describe('20 to 1024 characters. Without it and a hash the agent gets a new one.'),
    secret_hash: z.string().nullish().describe('In place of the secret its hash, bcrypt or PBKDF2.'),
    secret_expires_at: timeMember('From then on the secret is refused; absent: never.').nullish(),
    disabled: z.boolean().optional(),
  })
  .refine(({ client_secret, secret_hash }) => (client_secret ?? null) === null || (secret_hash ?? null) === null, {
    path: ['secret_hash'],
    message: 'stands beside client_secret: give one of the two',
  })

const outcome = z.object({
  client_id: z.string(),
  outcome: z.enum(['imported', 'exists', 'refused']),
  reason: textOrNull.describe('Why it was refused, as a code.'),
  description: textOrNull.describe('The same for people.'),
  agent_id: uuidOrNull.describe('Null unless it was imported, and in a dry run.'),
  name: textOrNull,
  owner: textOrNull,
  secret: z
    .enum(['kept', 'converted_at_first_use', 'new'])
    .nullable()
    .describe('What becomes of its secret; null unless it is imported.'),
  client_secret: textOrNull.describe('A new one, shown this once.'),
  scope: textOrNull,
  default_scope: textOrNull,
  resources: z.array(z.string()).readonly(),
  disabled: z.boolean(),
})

const exampleBody = {
  agents: [
    {
      client_id: 'orders',
      name: 'orders',
      scope: 'db:read reports:read',
      default_scope: 'db:read',
      resources: [AUDIENCE],
      secret_hash: '$pbkdf2-sha256$i=25000,l=32$…',
    },
  ],
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
}

export const importClients = operation({
  route: 'POST /api/v1/imports',
  id: 'importClients',
  summary: 'Take over the clients of another server',
  access: ACCESS.writeAgents,
  body: z.strictObject({
    dry_run: z.boolean().optional().describe('Answer what would become of each agent, and do nothing.'),
    agents: atMost(IMPORTED_AGENTS_MAX, z.array(importedAgent)).meta({ maxItems: IMPORTED_AGENTS_MAX }),
  }),
  bodyBytesMax: IMPORT_BYTES_MAX,
  bodyValues: { max: IMPORT_VALUES_MAX, advice: 'import the agents in parts' },
  answers: {
    200: z.object({
      dry_run: z.boolean(),
      data: z.array(outcome).describe('What became of each agent, in the order of the request.'),
    }),
  },
  example: { body: exampleBody, answer: { dry_run: false, data: [example] } },
})
