// From the document of another server to what becomes of its clients. It is read whole, so its size is bounded.
import { z } from 'zod'
import { atMost } from '../../../../api/fields.ts'
import type { ForeignClient } from '../../domain/import/foreign-client.ts'
import { readHydraClient } from '../../domain/import/hydra-client.ts'
import type { ImportSettings } from '../../domain/import/import-plan.ts'
import { readKeycloakClient } from '../../domain/import/keycloak-client.ts'
import { type DecidedClient, planClients } from '../../domain/import/plan-clients.ts'
import { countValues } from '../../domain/text/json-values.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { parseDocument } from '../terminal/parse-json.ts'

// What is read of other servers' exports. Members beyond these are passed over, as there are many.

/** Scopes of one kind, audiences or grants of one client. */
const LIST_MAX = 1000
/** The length of a text that is split: a list in it, or a duration. */
const PARTED_CHARACTERS_MAX = 65_536

const text = z.string().nullish()
const parted = z
  .string()
  .max(PARTED_CHARACTERS_MAX)
  .refine(parts => parts.split(/[ |,]/, LIST_MAX + 1).length <= LIST_MAX)
const flag = z.boolean().nullish()
const texts = atMost(LIST_MAX, z.array(z.string()).nullish())
const list = atMost(LIST_MAX, z.union([z.array(z.string()), parted], { error: 'is no list of texts' }).nullish())

const keycloakClient = z.object({
  clientId: z.string(),
  name: text,
  description: text,
  enabled: flag,
  protocol: text,
  publicClient: flag,
  bearerOnly: flag,
  serviceAccountsEnabled: flag,
  clientAuthenticatorType: text,
  secret: text,
  defaultClientScopes: texts.optional(),
  optionalClientScopes: texts.optional(),
  attributes: z.object({ 'access.token.lifespan': text, 'client.secret.expiration.time': text }).nullish(),
})

const hydraClient = z.object({
  id: text,
  client_id: text,
  client_name: text,
  client_secret: text,
  client_secret_expires_at: z.number().nullish(),
  scope: parted.nullish(),
  audience: list.optional(),
  grant_types: list.optional(),
  owner: text,
  token_endpoint_auth_method: text,
  client_credentials_grant_access_token_lifespan: z
    .union([z.number(), parted], { error: 'is neither a number nor a text' })
    .nullish(),
})

const NO_DOCUMENT = 'holds no clients: it is an array of them, or an object with such an array as'

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

const clientsIn = (document: unknown, members: readonly string[]): readonly unknown[] | undefined => {
  if (isList(document)) return document
  if (typeof document !== 'object' || document === null) return undefined
  const wrapped: readonly (readonly [string, unknown])[] = Object.entries(document)
  return wrapped.map(([name, value]) => (members.includes(name) ? value : null)).find(isList)
}

/** The clients of a document, bare or as one of its members; the first that is wrong ends the reading. */
const documentOf = <Client>(client: z.ZodType<Client>, ...members: readonly string[]) =>
  z.unknown().transform((document, context): readonly Client[] => {
    const refuse = (message: string, path: (string | number)[] = []): never => {
      context.addIssue({ code: 'custom', message, path })
      return z.NEVER
    }
    const found = clientsIn(document, members)
    if (found === undefined) return refuse(`${NO_DOCUMENT} ${members.join(' or ')}`)
    const clients: Client[] = []
    for (const [n, one] of found.entries()) {
      const parsed = client.safeParse(one)
      if (!parsed.success) return refuse('is not as the client of such a document', [n, ...namesIn(parsed.error)])
      clients.push(parsed.data)
    }
    return clients
  })

/** The member of a client that is wrong: its name is one of ours. */
const namesIn = ({ issues: [issue] }: z.ZodError): readonly string[] => {
  const [name] = issue?.path ?? []
  return typeof name === 'string' ? [name] : []
}

/** A realm export, or the clients of one. */
const keycloakDocument = documentOf(keycloakClient, 'clients')

/** Rows or clients, bare or as one of the tools that print them wraps them. */
const hydraDocument = documentOf(hydraClient, 'clients', 'items')

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
export const planDocument = (source: Source, input: string, settings: ImportSettings): readonly DecidedClient[] => {
  if (countValues(Buffer.from(input)) > DOCUMENT_VALUES_MAX) {
    const advice = 'leave out what is no client, or import it in parts'
    throw new CommandFailed(`The document holds more than ${DOCUMENT_VALUES_MAX} values: ${advice}.`)
  }
  const document = parseDocument(input)
  if (document === undefined) throw new CommandFailed('The document is not JSON.')
  return planClients(clientsOf(source, document), settings)
}
