// Takes over the clients of another server as agents, with their client ids and, where the document holds them, their secrets.
import type { Agent } from '../domain/agent.ts'
import { ANY_RESOURCE, isResource } from '../domain/audience.ts'
import { actBy, type Origin } from '../domain/caller.ts'
import type { ForeignClient } from '../domain/foreign-client.ts'
import type { ClientOutcome, ImportedSecret } from '../domain/import-outcome.ts'
import { type ImportPlan, type ImportSettings, planImport } from '../domain/import-plan.ts'
import { type ImportReason, isSkipped } from '../domain/import-reason.ts'
import { isRefused, type OrRefusal, refuse } from '../domain/refusal.ts'
import { parseScope, parseScopePatterns } from '../domain/scope.ts'
import type { AdministrationPorts } from '../ports.ts'
import type { ImportedAgent, ImportObstacle } from '../ports/imports.ts'
import { refuseUnknownKey } from './authenticate-administrator.ts'

export type ImportRequest = {
  readonly clients: readonly ForeignClient[]
  readonly isTrial: boolean
  /** Null: nothing is said. Scopes are texts of items separated by single spaces. */
  readonly scope: string | null
  readonly defaultScope: string | null
  readonly scopeMap: ReadonlyMap<string, string>
  readonly resources: readonly string[] | null
}

type ImportPorts = Pick<AdministrationPorts, 'importedSecrets' | 'imports' | 'randomness' | 'secrets'>

const SCOPE_FORM = 'is not 1 to 16 items of the form resource:action (or resource:*), separated by single spaces'

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

type Prepared = {
  readonly plan: ImportPlan
  readonly imported: ImportedAgent
  readonly secret: ImportedSecret
  readonly clientSecret: string | null
}

type Credential = Pick<ImportedAgent['credential'], 'secretHash' | 'isImported' | 'foreignHash'>

const prepareSecret = (
  { secrets, importedSecrets }: ImportPorts,
  { secret }: ForeignClient,
): Credential & Pick<Prepared, 'secret' | 'clientSecret'> => {
  if (secret === null) {
    const made = secrets.makeClientSecret()
    const secretHash = secrets.hash(made)
    return { secretHash, isImported: false, foreignHash: null, secret: 'new', clientSecret: made }
  }
  const kept = { isImported: true, clientSecret: null } as const
  return secret.form === 'hash'
    ? { ...kept, secretHash: '', foreignHash: secret.text, secret: 'converted_at_first_use' }
    : { ...kept, secretHash: importedSecrets.hash(secret.text), foreignHash: null, secret: 'kept' }
}

const prepare = (ports: ImportPorts, client: ForeignClient, plan: ImportPlan): Prepared => {
  const { secret, clientSecret, ...credential } = prepareSecret(ports, client)
  const expiresAt = client.secret === null ? null : client.secretExpiresAt
  const imported = {
    id: ports.randomness.uuid(),
    clientId: plan.clientId,
    names: plan.names,
    ...plan.settings,
    isDisabled: client.isDisabled,
    credential: { id: ports.randomness.uuid(), ...credential, expiresAt },
  }
  return { plan, imported, secret, clientSecret }
}

const reject = (clientId: string, reason: ImportReason): ClientOutcome => ({
  clientId,
  outcome: isSkipped(reason) ? 'skipped' : 'refused',
  reason,
})

type Decided = { readonly clientId: string; readonly decided: Prepared | ImportReason }

const decideEach = (ports: ImportPorts, clients: readonly ForeignClient[], settings: ImportSettings): Decided[] => {
  const seen = new Set<string>()
  return clients.map(client => {
    const { clientId } = client
    const plan = planImport(client, settings)
    if (typeof plan === 'string') return { clientId, decided: plan }
    if (seen.has(clientId)) return { clientId, decided: 'client_id_repeated' }
    seen.add(clientId)
    return { clientId, decided: prepare(ports, client, plan) }
  })
}

const outcomeOf = (
  { plan, secret, clientSecret }: Prepared,
  made: Agent | ImportObstacle | undefined,
  isTrial: boolean,
): ClientOutcome => {
  const { clientId } = plan
  if (made === undefined) throw new Error('The store answered for fewer clients than it was given.')
  if (made === 'exists') return { clientId, outcome: 'exists' }
  if (typeof made === 'string') return reject(clientId, made)
  return { clientId, outcome: 'imported', agent: made, secret, clientSecret: isTrial ? null : clientSecret, plan }
}

/**
 * Imports each client for itself, all in one transaction: done again it finds them there. One outcome a client, in the
 * order of the document. A trial gives the same outcomes and does nothing.
 */
export const importClients = async (
  ports: ImportPorts,
  origin: Origin,
  request: ImportRequest,
): Promise<OrRefusal<{ readonly outcomes: readonly ClientOutcome[] }>> => {
  const settings = parseSettings(request)
  if (isRefused(settings)) return settings
  const decided = decideEach(ports, request.clients, settings)
  const prepared = decided.map(one => one.decided).filter(one => typeof one !== 'string')
  const act = actBy(origin, 'agent.import')
  const made = await ports.imports.create(
    prepared.map(({ imported }) => imported),
    act,
    request.isTrial,
  )
  if (made === 'caller_ended') return refuseUnknownKey()
  const makings = new Map(prepared.map((one, n) => [one, made[n]]))
  return {
    outcomes: decided.map(one =>
      typeof one.decided === 'string'
        ? reject(one.clientId, one.decided)
        : outcomeOf(one.decided, makings.get(one.decided), request.isTrial),
    ),
  }
}
