// Decides what becomes of the clients of another server, as far as that needs no store: the work of a thread beside those
// that serve, since a document may be long.
import { ANY_RESOURCE, isResource } from '../../../../api/values/audience.ts'
import type { ForeignClient } from '../../domain/import/foreign-client.ts'
import { type ImportPlan, type ImportSettings, planImport } from '../../domain/import/import-plan.ts'
import type { ImportReason } from '../../domain/import/import-reason.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import { parseScope, parseScopePatterns } from '../../../../api/values/scope.ts'

export type ImportRequest = {
  readonly clients: readonly ForeignClient[]
  readonly isTrial: boolean
  /** Null: nothing is said. Scopes are texts of items separated by single spaces. */
  readonly scope: string | null
  readonly defaultScope: string | null
  readonly scopeMap: ReadonlyMap<string, string>
  readonly resources: readonly string[] | null
}

/** A client that may become an agent, with what its document says of its secret. */
export type PlannedClient = Pick<ForeignClient, 'secret' | 'secretExpiresAt' | 'isDisabled'> & {
  readonly plan: ImportPlan
}

type DecidedClient = PlannedClient | { readonly clientId: string; readonly reason: ImportReason }

/** In the order of the document. Plain values, which travel between threads. */
export type PlannedImport = { readonly clients: readonly DecidedClient[]; readonly isTrial: boolean }

const SCOPE_FORM = 'is not 1 to 16 items of the form resource:action (or resource:*), separated by single spaces'
/** Of all agents together: the same resources for each of them would else make 32 MiB of a short request. */
const RESOURCE_CHARACTERS_MAX = 4 * 1_048_576
/** Of the id of a client that is not imported, which may be as long as its document. */
const CLIENT_ID_CHARACTERS_MAX = 255

const parseMap = (scopeMap: ReadonlyMap<string, string>): ImportSettings['scopeMap'] | undefined => {
  const parsed = [...scopeMap].map(([theirs, ours]) => [theirs, parseScopePatterns(ours)] as const)
  const known = parsed.filter((entry): entry is readonly [string, readonly string[]] => entry[1] !== undefined)
  return known.length === parsed.length ? new Map(known) : undefined
}

const parseSettings = (request: ImportRequest): OrRefusal<ImportSettings> => {
  const scope = request.scope === null ? null : parseScopePatterns(request.scope)
  if (scope === undefined) return refuse('invalid_scope', `scope ${SCOPE_FORM}.`)
  const defaultScope = request.defaultScope === null ? null : parseScope(request.defaultScope)
  if (defaultScope === undefined) return refuse('invalid_scope', 'default_scope is not 1 to 16 items resource:action.')
  const scopeMap = parseMap(request.scopeMap)
  if (scopeMap === undefined) return refuse('invalid_scope', `A value of scope_map ${SCOPE_FORM}.`)
  const { resources } = request
  if (resources?.every(resource => resource === ANY_RESOURCE || isResource(resource)) === false) {
    return refuse('invalid_target', `A resource is neither an absolute URI without a fragment nor ${ANY_RESOURCE}.`)
  }
  return { scope, defaultScope, scopeMap, resources: resources === null ? null : [...new Set(resources)] }
}

const reject = (clientId: string, reason: ImportReason): DecidedClient => ({
  clientId: clientId.slice(0, CLIENT_ID_CHARACTERS_MAX),
  reason,
})

const TOO_MANY_RESOURCES = `The resources of all agents have more than ${RESOURCE_CHARACTERS_MAX} characters: import the clients in parts.`

const charactersOfResources = (clients: readonly DecidedClient[]): number =>
  clients
    .flatMap(client => ('plan' in client ? [client.plan.settings.resources] : []))
    .reduce((sum, resources) => resources.reduce((own, resource) => own + resource.length, sum), 0)

/** The plan of each client, or why it is passed over or refused; or what is wrong with the settings. */
export const planClients = (request: ImportRequest): OrRefusal<PlannedImport> => {
  const settings = parseSettings(request)
  if (isRefused(settings)) return settings
  const seen = new Set<string>()
  const clients = request.clients.map((client): DecidedClient => {
    const { clientId, secret, secretExpiresAt, isDisabled } = client
    const plan = planImport(client, settings)
    if (typeof plan === 'string') return reject(clientId, plan)
    if (seen.has(clientId)) return reject(clientId, 'client_id_repeated')
    seen.add(clientId)
    return { plan, secret, secretExpiresAt, isDisabled }
  })
  return charactersOfResources(clients) > RESOURCE_CHARACTERS_MAX
    ? refuse('request_too_large', TOO_MANY_RESOURCES)
    : { clients, isTrial: request.isTrial }
}
