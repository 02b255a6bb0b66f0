// Decides what becomes of the clients of another server, as far as that needs no store: the work of a thread beside those
// that serve, since a document may be long.
import type { ForeignClient } from '../../domain/import/foreign-client.ts'
import { type ImportPlan, type ImportSettings, planImport } from '../../domain/import/import-plan.ts'
import type { ImportReason } from '../../domain/import/import-reason.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'

export type ImportRequest = {
  readonly clients: readonly ForeignClient[]
  readonly isTrial: boolean
  readonly settings: ImportSettings
}

/** A client that may become an agent, with what its document says of its secret. */
export type PlannedClient = Pick<ForeignClient, 'secret' | 'secretExpiresAt' | 'isDisabled'> & {
  readonly plan: ImportPlan
}

type DecidedClient = PlannedClient | { readonly clientId: string; readonly reason: ImportReason }

/** In the order of the document. Plain values, which travel between threads. */
export type PlannedImport = { readonly clients: readonly DecidedClient[]; readonly isTrial: boolean }

/** Of all agents together: the same resources for each of them would else make 32 MiB of a short request. */
const RESOURCE_CHARACTERS_MAX = 4 * 1_048_576
/** Of the id of a client that is not imported, which may be as long as its document. */
const CLIENT_ID_CHARACTERS_MAX = 255

const reject = (clientId: string, reason: ImportReason): DecidedClient => ({
  clientId: clientId.slice(0, CLIENT_ID_CHARACTERS_MAX),
  reason,
})

const TOO_MANY_RESOURCES = `The resources of all agents have more than ${RESOURCE_CHARACTERS_MAX} characters: import the clients in parts.`

const charactersOfResources = (clients: readonly DecidedClient[]): number =>
  clients
    .flatMap(client => ('plan' in client ? [client.plan.settings.resources] : []))
    .reduce((sum, resources) => resources.reduce((own, resource) => own + resource.length, sum), 0)

/** The plan of each client, or why it is passed over or refused. */
export const planClients = (request: ImportRequest): OrRefusal<PlannedImport> => {
  const seen = new Set<string>()
  const clients = request.clients.map((client): DecidedClient => {
    const { clientId, secret, secretExpiresAt, isDisabled } = client
    const plan = planImport(client, request.settings)
    if (typeof plan === 'string') return reject(clientId, plan)
    if (seen.has(clientId)) return reject(clientId, 'client_id_repeated')
    seen.add(clientId)
    return { plan, secret, secretExpiresAt, isDisabled }
  })
  return charactersOfResources(clients) > RESOURCE_CHARACTERS_MAX
    ? refuse('request_too_large', TOO_MANY_RESOURCES)
    : { clients, isTrial: request.isTrial }
}
