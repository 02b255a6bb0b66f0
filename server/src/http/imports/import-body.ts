// The body of POST /api/v1/imports, and what is planned from it. It is read beside the threads that serve: import-reader.ts.
import { z } from 'zod'
import { RESOURCES_MAX } from '../../../../api/values/audience.ts'
import type { ForeignClient } from '../../domain/import/foreign-client.ts'
import { IMPORT_ADVICE, IMPORT_VALUES_MAX, SCOPE_MAP_MAX } from '../../../../api/values/bounds.ts'
import { readHydraClient } from '../../domain/import/hydra-client.ts'
import { readKeycloakClient } from '../../domain/import/keycloak-client.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import { type ImportRequest, planClients, type PlannedImport } from '../../operations/imports/plan-clients.ts'
import { atMost, hydraDocument, keycloakDocument } from './import-document.ts'
import { makeJsonReader } from '../wire/json-body.ts'

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

const readBody = makeJsonReader(importBody, { max: IMPORT_VALUES_MAX, advice: IMPORT_ADVICE })

/** What is planned for each client; or why the body is refused. */
export const readImportBody = (body: Buffer | null): OrRefusal<PlannedImport> => {
  const parsed = readBody(body)
  return 'error' in parsed ? { refusal: parsed.error.refusal } : planClients(requestOf(parsed.value))
}
