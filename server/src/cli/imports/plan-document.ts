// From the document of another server to what becomes of its clients. It is read whole, so its size is bounded.
import type { ForeignClient } from '../../domain/import/foreign-client.ts'
import { readHydraClient } from '../../domain/import/hydra-client.ts'
import type { ImportSettings } from '../../domain/import/import-plan.ts'
import { readKeycloakClient } from '../../domain/import/keycloak-client.ts'
import { type DecidedClient, planClients } from '../../domain/import/plan-clients.ts'
import { countValues } from '../../domain/text/json-values.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { parseDocument } from '../terminal/parse-json.ts'
import { hydraDocument, keycloakDocument } from './foreign-documents.ts'

/** The export of a realm holds much that is not needed here. */
export const DOCUMENT_BYTES_MAX = 16 * 1_048_576
/** The number of values in a document, ignored ones included. An export of the greatest size has some 450,000. */
const DOCUMENT_VALUES_MAX = 500_000

export type Source = 'keycloak' | 'hydra'

const clientsOf = (source: Source, document: unknown): readonly ForeignClient[] => {
  const parsed =
    source === 'keycloak'
      ? keycloakDocument.transform(clients => clients.map(readKeycloakClient)).safeParse(document)
      : hydraDocument.transform(clients => clients.map(readHydraClient)).safeParse(document)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new CommandFailed(`${['The document', ...(issue?.path ?? [])].join('.')} ${issue?.message}.`)
}

/** Throws a CommandFailed that repeats nothing of the document but the names of our members. */
export const planDocument = (source: Source, text: string, settings: ImportSettings): readonly DecidedClient[] => {
  if (countValues(Buffer.from(text)) > DOCUMENT_VALUES_MAX) {
    const advice = 'leave out what is no client, or import it in parts'
    throw new CommandFailed(`The document holds more than ${DOCUMENT_VALUES_MAX} values: ${advice}.`)
  }
  const document = parseDocument(text)
  if (document === undefined) throw new CommandFailed('The document is not JSON.')
  return planClients(clientsOf(source, document), settings)
}
