// Plans the import of a client of another server: the agent to create, or the reason why it is skipped or refused.
import { LIFETIME_SECONDS_MAX } from '../../../../api/values/limits.ts'
import { distinctResources, isResource, RESOURCES_MAX } from '../../../../api/values/audience.ts'
import { type AgentSettings, BLANK_SETTINGS } from '../clients/change-agent.ts'
import { isClientId } from '../clients/agent.ts'
import type { ForeignClient } from './foreign-client.ts'
import type { ImportReason } from './import-reason.ts'
import { IMPORTED_SECRET_CHARACTERS_MAX, isKeptFast } from '../clients/credential.ts'
import { isDescription, isName } from '../../../../api/values/name.ts'
import {
  firstScopeBeyond,
  formatScope,
  parseScopeItem,
  parseScopePatterns,
  SCOPE_ITEMS_MAX,
} from '../../../../api/values/scope.ts'

/** Scopes of a client that are listed as left out, and audiences. */
const LEFT_OUT_MAX = 100

/** The operator's settings for all clients of a document. */
export type ImportSettings = {
  /** The scope of agents of whose own scopes none is imported. */
  readonly scope: readonly string[] | null
  /** The default scope of agents without one of their own, as far as their scope allows it. */
  readonly defaultScope: readonly string[] | null
  /** The scopes here, by scope of the other server. */
  readonly scopeMap: ReadonlyMap<string, readonly string[]>
  /** The resources of agents of whose own audiences none is imported. */
  readonly resources: readonly string[] | null
}

export type ImportPlan = {
  readonly clientId: string
  /** The name is that of the client, or else its client id. */
  readonly settings: AgentSettings
  readonly scopesLeftOut: readonly string[]
  readonly audiencesLeftOut: readonly string[]
}

type Mapped = { readonly taken: readonly string[]; readonly leftOut: readonly string[] }

// `resource:*` is a pattern here and a literal elsewhere, so only the operator may grant it.
const mapScopes = (theirs: readonly string[], { scopeMap }: ImportSettings): Mapped => {
  const taken = theirs.flatMap(scope => scopeMap.get(scope) ?? parseScopeItem(scope) ?? [])
  const leftOut = theirs.filter(scope => !scopeMap.has(scope) && parseScopeItem(scope) === undefined)
  return { taken, leftOut }
}

/** Why an agent cannot have the secret. */
export const secretProblem = ({
  secret,
  secretExpiresAt,
}: Pick<ForeignClient, 'secret' | 'secretExpiresAt'>): ImportReason | undefined => {
  if (secret === null) return undefined
  if (Number.isNaN(secretExpiresAt)) return 'secret_expired'
  if (secret.form === 'hash') return undefined
  if (secret.form !== 'secret') return secret.form
  if (secret.text.length > IMPORTED_SECRET_CHARACTERS_MAX) return 'secret_too_long'
  return isKeptFast(secret.text) ? undefined : 'secret_too_short'
}

const isLifetime = (seconds: number | null): boolean =>
  seconds === null || (Number.isInteger(seconds) && seconds >= 1 && seconds <= LIFETIME_SECONDS_MAX)

const problemOf = (client: ForeignClient): ImportReason | undefined => {
  if (!isClientId(client.clientId)) return 'client_id_malformed'
  if (!isLifetime(client.lifetimeSeconds)) return 'lifetime_out_of_range'
  return secretProblem(client)
}

type Scopes = Pick<AgentSettings, 'scopes' | 'defaultScope'> & { readonly leftOut: readonly string[] }

const planScopes = (client: ForeignClient, settings: ImportSettings): Scopes | ImportReason => {
  const [own, optional] = [mapScopes(client.defaultScopes, settings), mapScopes(client.optionalScopes, settings)]
  const mapped = [...own.taken, ...optional.taken]
  const wanted = mapped.length > 0 ? mapped : settings.scope
  if (wanted === null) return 'no_scope'
  const distinct = [...new Set(wanted)]
  const scopes = distinct.length > SCOPE_ITEMS_MAX ? undefined : parseScopePatterns(formatScope(distinct))
  if (scopes === undefined) return 'too_many_scopes'
  const defaults = own.taken.filter(item => parseScopeItem(item) !== undefined)
  const others = settings.defaultScope?.filter(item => firstScopeBeyond(scopes, [item]) === undefined) ?? []
  const chosen = [...new Set(defaults.length > 0 ? defaults : others)].toSorted()
  const leftOut = [...new Set([...own.leftOut, ...optional.leftOut])].slice(0, LEFT_OUT_MAX)
  return { scopes, defaultScope: chosen.length > 0 ? chosen : null, leftOut }
}

/** The agent to create, or the first reason against it. */
export const planImport = (client: ForeignClient, settings: ImportSettings): ImportPlan | ImportReason => {
  const problem = client.skip ?? problemOf(client)
  if (problem !== undefined) return problem
  const scopes = planScopes(client, settings)
  if (typeof scopes === 'string') return scopes
  const own = distinctResources(client.audiences.filter(isResource))
  const resources = own.length > 0 ? own : (settings.resources ?? [])
  if (resources.length > RESOURCES_MAX) return 'too_many_resources'
  const { name, description, owner, clientId, lifetimeSeconds } = client
  const known = [name ?? clientId, clientId].find(isName)
  if (known === undefined) return 'name_malformed'
  return {
    clientId,
    settings: {
      ...BLANK_SETTINGS,
      name: known,
      description: description !== null && isDescription(description) ? description : null,
      owner: owner !== null && isName(owner) ? owner : null,
      scopes: scopes.scopes,
      defaultScope: scopes.defaultScope,
      resources,
      lifetimeSeconds,
    },
    scopesLeftOut: scopes.leftOut,
    audiencesLeftOut: client.audiences.filter(audience => !isResource(audience)).slice(0, LEFT_OUT_MAX),
  }
}
