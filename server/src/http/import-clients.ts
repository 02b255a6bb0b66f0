// POST /api/v1/imports: takes over the clients of another server, with the ids and secrets that they have.
import { z } from 'zod'
import { ACCESS } from '../domain/access.ts'
import type { ForeignClient } from '../domain/foreign-client.ts'
import { RESOURCES_MAX } from '../domain/audience.ts'
import { readHydraClient } from '../domain/hydra-client.ts'
import { SCOPE_MAP_MAX } from '../domain/import-plan.ts'
import { formatOutcome } from '../domain/import-record.ts'
import { readKeycloakClient } from '../domain/keycloak-client.ts'
import { importClients, type ImportRequest } from '../operations/import-clients.ts'
import type { AdministrationPorts } from '../ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import { atMost, hydraDocument, keycloakDocument } from './import-document.ts'
import type { Refuser } from './refusals.ts'

/** The export of a realm holds much that is not needed here. */
export const IMPORT_BYTES_MAX = 16 * 1_048_576

const settings = {
  dry_run: z.boolean().optional().describe('Answer what would become of each client, and do nothing.'),
  scope: z.string().optional().describe('What agents may ask for of whose own scopes none is taken.'),
  default_scope: z.string().optional().describe('What agents get by default that have no default of their own.'),
  scope_map: atMost(SCOPE_MAP_MAX, z.record(z.string(), z.string()))
    .optional()
    .describe('Their scopes, and what each stands for here.'),
  resources: atMost(RESOURCES_MAX, z.array(z.string()))
    .optional()
    .describe('The resources of agents of whose own audiences none is taken.'),
}

export const importBody = z.discriminatedUnion(
  'source',
  [
    z.strictObject({ source: z.literal('keycloak'), document: keycloakDocument, ...settings }),
    z.strictObject({ source: z.literal('hydra'), document: hydraDocument, ...settings }),
  ],
  { error: 'is not keycloak or hydra' },
)

const outcome = z.object({
  client_id: z.string(),
  outcome: z.enum(['imported', 'exists', 'skipped', 'refused']),
  reason: z.string().nullable().describe('Why it was skipped or refused, as a code.'),
  description: z.string().nullable().describe('The same for people.'),
  agent_id: z.string().nullable().describe('Null unless it was imported, and in a dry run.'),
  name: z.string().nullable(),
  secret: z
    .enum(['kept', 'converted_at_first_use', 'new'])
    .nullable()
    .describe('What becomes of its secret; null unless it is imported.'),
  client_secret: z.string().nullable().describe('A new one, shown this once.'),
  scope: z.string().nullable(),
  default_scope: z.string().nullable(),
  resources: z.array(z.string()),
  disabled: z.boolean(),
  scopes_left_out: z.array(z.string()).describe('Scopes of it that have no counterpart here.'),
  audiences_left_out: z.array(z.string()).describe('Audiences of it that are no absolute URIs.'),
})

export const importAnswer = z.object({
  dry_run: z.boolean(),
  data: z.array(outcome).describe('What became of each client, in the order of the document.'),
})

type Body = z.output<typeof importBody>

const clientsOf = (body: Body): readonly ForeignClient[] =>
  body.source === 'keycloak' ? body.document.map(readKeycloakClient) : body.document.map(readHydraClient)

const requestOf = (body: Body): ImportRequest => ({
  clients: clientsOf(body),
  isTrial: body.dry_run ?? false,
  scope: body.scope ?? null,
  defaultScope: body.default_scope ?? null,
  scopeMap: new Map(Object.entries(body.scope_map ?? {})),
  resources: body.resources ?? null,
})

export const makeImportHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeAgents,
    run: async (origin, { body }: AdministrationInput<Body>) => {
      const request = requestOf(body)
      const imported = await importClients(ports, origin, request)
      return 'refusal' in imported ? imported : { ...imported, isTrial: request.isTrial }
    },
    answer: (reply, { outcomes, isTrial }) =>
      reply.send({ dry_run: isTrial, data: outcomes.map(one => formatOutcome(one, isTrial)) }),
  })
