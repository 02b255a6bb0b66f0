// Plans the import of a client of another server: the agent to create, or the reason why it is skipped or refused.
import { LEFT_OUT_MAX } from '../../../../api/values/bounds.ts'
import { LIFETIME_SECONDS_MAX } from '../../../../api/values/limits.ts'
import { isResource, RESOURCES_MAX } from '../../../../api/values/audience.ts'
import { type AgentSettings, BLANK_SETTINGS } from '../clients/change-agent.ts'
import { isClientId } from '../clients/agent.ts'
import type { ForeignClient } from './foreign-client.ts'
import { BCRYPT_COST_MAX, PBKDF2_ROUNDS_MAX } from './foreign-hash.ts'
import { IMPORTED_SECRET_CHARACTERS_MAX, IMPORTED_SECRET_CHARACTERS_MIN, isKeptFast } from '../clients/credential.ts'
import { isDescription, isName, NAME_FORM } from '../../../../api/values/name.ts'
import {
  firstScopeBeyond,
  formatScope,
  parseScopeItem,
  parseScopePatterns,
  SCOPE_ITEMS_MAX,
} from '../../../../api/values/scope.ts'

/** The client could not use the client-credentials grant with a secret there. */
const SKIP_REASONS = {
  other_protocol: 'Its protocol is not OpenID Connect.',
  public_client: 'It is a public client: it has no secret.',
  bearer_only: 'It only takes tokens, and asks for none.',
  no_client_credentials: 'It may not use the client-credentials grant.',
  other_authentication: 'It authenticates itself by something other than a secret, which this service does not take.',
} as const

const REFUSED_REASONS = {
  client_id_malformed: 'Its client id is not 1 to 255 printable ASCII characters without spaces around them.',
  client_id_repeated: 'The document holds its client id more than once; the first counts.',
  client_id_retired: 'An agent that is deleted had its client id, which is never used again.',
  secret_too_short: `Its secret has less than ${IMPORTED_SECRET_CHARACTERS_MIN} characters. Give it a longer one there, or take it out of the document: the agent then gets a new one.`,
  secret_too_long: `Its secret has more than ${IMPORTED_SECRET_CHARACTERS_MAX} characters.`,
  secret_expired:
    'Its secret has expired, or when it does cannot be read. Take it out of the document: the agent then gets a new one.',
  hash_unknown:
    "Its secret is kept under a hash that is neither bcrypt nor PBKDF2 in Hydra's form. Take it out of the document: the agent then gets a new one.",
  hash_too_costly: `The hash of its secret costs too much to verify: at most 2^${BCRYPT_COST_MAX} rounds of bcrypt or ${PBKDF2_ROUNDS_MAX} of PBKDF2. Take it out of the document: the agent then gets a new one.`,
  no_scope: 'None of its scopes has the form resource:action. Name what they stand for in scope_map, or give scope.',
  too_many_scopes: 'It has more scopes than an agent can have, or longer ones.',
  too_many_resources: 'It has more audiences than an agent can have resources.',
  lifetime_out_of_range: 'The lifetime of its tokens is not a whole number of seconds from 1 to 86400.',
  lifetimes_full: 'The lifetime of its tokens would be one more than there may be in use.',
  name_malformed: `Neither its name nor its client id is ${NAME_FORM}.`,
  name_taken: 'Other agents have its name and its client id as their names.',
} as const

export const IMPORT_REASONS = { ...SKIP_REASONS, ...REFUSED_REASONS } as const

export type ImportReason = keyof typeof IMPORT_REASONS

export const isSkipped = (reason: ImportReason): boolean => Object.hasOwn(SKIP_REASONS, reason)

/** The operator's settings for all clients of a document. */
export type ImportSettings = {
  /** The scope of agents of whose own scopes none is imported. */
  readonly scope: readonly string[] | null
  /** The default scope of agents without one of their own, as far as their scope allows it. */
  readonly defaultScope: readonly string[] | null
  /** From scopes of the other server to scopes here. */
  readonly scopeMap: ReadonlyMap<string, readonly string[]>
  /** The resources of agents of whose own audiences none is imported. */
  readonly resources: readonly string[] | null
}

export type ImportPlan = {
  readonly clientId: string
  readonly names: readonly string[]
  readonly settings: Omit<AgentSettings, 'name'>
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

const secretProblem = ({ secret, secretExpiresAt }: ForeignClient): ImportReason | undefined => {
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
  const own = [...new Set(client.audiences.filter(isResource))]
  const resources = own.length > 0 ? own : (settings.resources ?? [])
  if (resources.length > RESOURCES_MAX) return 'too_many_resources'
  const { name, description, owner, clientId, lifetimeSeconds } = client
  const names = [name ?? clientId, clientId].filter(isName)
  if (names.length === 0) return 'name_malformed'
  return {
    clientId,
    names,
    settings: {
      ...BLANK_SETTINGS,
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
