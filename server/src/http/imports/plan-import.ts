// What is planned from the body of POST /api/v1/imports. It is read beside the threads that serve: import-reader.ts.
import { importClients } from '../../../../api/imports.ts'
import type { BodyOf } from '../../../../api/operation.ts'
import { readHydraClient } from '../../domain/import/hydra-client.ts'
import { readKeycloakClient } from '../../domain/import/keycloak-client.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import { planClients, type PlannedImport } from '../../operations/imports/plan-clients.ts'
import { makeJsonReader } from '../wire/json-body.ts'

type Body = BodyOf<typeof importClients>

/** The plan of each client of a body that was read. */
export const planImport = (body: Body): OrRefusal<PlannedImport> =>
  planClients({
    clients: body.source === 'keycloak' ? body.document.map(readKeycloakClient) : body.document.map(readHydraClient),
    isTrial: body.dry_run ?? false,
    settings: {
      scope: body.scope ?? null,
      defaultScope: body.default_scope ?? null,
      scopeMap: body.scope_map ?? new Map(),
      resources: body.resources ?? null,
    },
  })

const readBody = makeJsonReader(importClients.body, importClients.bodyValues)

/** What is planned for each client; or why the body is refused. */
export const readImportBody = (body: Buffer | null): OrRefusal<PlannedImport> => {
  const parsed = readBody(body)
  return 'error' in parsed ? { refusal: parsed.error.refusal } : planImport(parsed.value)
}
