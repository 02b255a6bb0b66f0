// Reads what a caller says of an agent, at its creation or in a change: each member that is given, strictly.
import {
  type AtLiveTokensMax,
  LIFETIME_SECONDS_MAX,
  LIMIT_BOUNDS,
  type LimitName,
  NO_LIMITS,
} from '../../../../api/values/limits.ts'
import { LIFETIMES_MAX } from '../../domain/clients/agent.ts'
import { ANY_RESOURCE, isResource, RESOURCES_MAX } from '../../../../api/values/audience.ts'
import type { AgentChange } from '../../domain/clients/change-agent.ts'
import { isLabelKey, LABEL_KEY_FORM, type LabelsChange } from '../../../../api/values/labels.ts'
import { DESCRIPTION_FORM, isDescription, isName, NAME_FORM } from '../../../../api/values/name.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import { parseScope, parseScopePatterns } from '../../../../api/values/scope.ts'
import type { Ports } from '../../ports/ports.ts'

/** What may be said of an agent; a member that is absent or undefined is not said, and null is none. */
export type AgentFields = {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  readonly owner?: string | null | undefined
  readonly labels?: LabelsChange | undefined
  /** Items, or `resource:*`, separated by single spaces. */
  readonly scope?: string | undefined
  /** None: a request without a scope is refused. */
  readonly defaultScope?: string | null | undefined
  /** Absolute URIs, or `*` for any. */
  readonly resources?: readonly string[] | undefined
  /** None: the service's. */
  readonly defaultAudience?: string | null | undefined
  /** None: the service's. */
  readonly lifetimeSeconds?: number | null | undefined
  /** Whether its requests need a DPoP proof. */
  readonly dpopBound?: boolean | undefined
  /** Whether its tokens are bound to its TLS certificate. */
  readonly certificateBound?: boolean | undefined
} & {
  /** None: no such limit. */
  readonly [Name in LimitName]?: number | null | undefined
} & {
  /** None: `refuse`. */
  readonly atLiveTokensMax?: AtLiveTokensMax | null | undefined
}

type Refused = ReturnType<typeof refuse>

const checkName = ({ name }: AgentFields): Refused | undefined =>
  name === undefined || isName(name) ? undefined : refuse('invalid_request', `The name is not ${NAME_FORM}.`)

const checkDescription = ({ description }: AgentFields): Refused | undefined =>
  isDescription(description ?? 'none')
    ? undefined
    : refuse('invalid_request', `The description is not ${DESCRIPTION_FORM}.`)

const checkOwner = ({ owner }: AgentFields): Refused | undefined =>
  isName(owner ?? 'none') ? undefined : refuse('invalid_request', `The owner is not ${NAME_FORM}.`)

const checkLabels = ({ labels }: AgentFields): Refused | undefined => {
  for (const [key, value] of Object.entries(labels ?? {})) {
    if (!isLabelKey(key)) return refuse('invalid_request', `The key of a label is not ${LABEL_KEY_FORM}.`)
    if (value !== null && !isName(value)) {
      return refuse('invalid_request', `The value of the label ${key} is not ${NAME_FORM}.`)
    }
  }
  return undefined
}

const isLifetime = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= 1 && seconds <= LIFETIME_SECONDS_MAX

const checkLifetime = ({ lifetimeSeconds }: AgentFields): Refused | undefined =>
  isLifetime(lifetimeSeconds ?? 1)
    ? undefined
    : refuse('invalid_request', `The lifetime is not a whole number of seconds from 1 to ${LIFETIME_SECONDS_MAX}.`)

const LIMIT_NAMES: readonly (readonly [LimitName, string])[] = [
  ['tokensPerMinute', 'number of tokens a minute'],
  ['tokensPerDay', 'number of tokens a day'],
  ['liveTokensMax', 'number of live tokens'],
]

const checkLimits = (fields: AgentFields): Refused | undefined => {
  for (const [name, what] of LIMIT_NAMES) {
    const [limit, bound] = [fields[name] ?? 1, LIMIT_BOUNDS[name]]
    if (!Number.isInteger(limit) || limit < 1 || limit > bound) {
      return refuse('invalid_request', `The ${what} is not a whole number from 1 to ${bound}.`)
    }
  }
  return undefined
}

const checkResources = ({ resources = [] }: AgentFields): Refused | undefined => {
  if (resources.length > RESOURCES_MAX) {
    return refuse(
      'invalid_target',
      `An agent may have at most ${RESOURCES_MAX} resources; allow any with ${ANY_RESOURCE}.`,
    )
  }
  // Which one is not said: it may be a secret that was pasted in its place.
  return resources.every(resource => resource === ANY_RESOURCE || isResource(resource))
    ? undefined
    : refuse('invalid_target', `A resource is neither an absolute URI without a fragment nor ${ANY_RESOURCE}.`)
}

const checkDefaultAudience = ({ defaultAudience }: AgentFields): Refused | undefined =>
  typeof defaultAudience !== 'string' || isResource(defaultAudience)
    ? undefined
    : refuse('invalid_target', 'The default audience is not an absolute URI without a fragment.')

const CHECKS = [
  checkName,
  checkDescription,
  checkOwner,
  checkLabels,
  checkLifetime,
  checkLimits,
  checkResources,
  checkDefaultAudience,
] as const

type Scopes = Pick<AgentChange, 'scopes' | 'defaultScope'>

const parseScopes = ({ scope, defaultScope }: AgentFields): OrRefusal<Scopes> => {
  const scopes = scope === undefined ? undefined : parseScopePatterns(scope)
  if (scope !== undefined && scopes === undefined) {
    return refuse(
      'invalid_scope',
      'The scope is not 1 to 16 items of the form resource:action (or resource:*), separated by single spaces.',
    )
  }
  if (typeof defaultScope !== 'string') return { scopes, defaultScope }
  const items = parseScope(defaultScope)
  if (items !== undefined) return { scopes, defaultScope: items }
  return refuse(
    'invalid_scope',
    'The default scope is not 1 to 16 items of the form resource:action, separated by single spaces.',
  )
}

const limitsIn = ({ tokensPerMinute, tokensPerDay, liveTokensMax, atLiveTokensMax }: AgentFields) => ({
  tokensPerMinute,
  tokensPerDay,
  liveTokensMax,
  atLiveTokensMax: atLiveTokensMax === null ? NO_LIMITS.atLiveTokensMax : atLiveTokensMax,
})

/** The change that the fields ask for, or what is wrong with the first that is wrong. */
export const parseAgentFields = (fields: AgentFields): OrRefusal<AgentChange> => {
  for (const check of CHECKS) {
    const refused = check(fields)
    if (refused !== undefined) return refused
  }
  const scopes = parseScopes(fields)
  if ('refusal' in scopes) return scopes
  const { name, description, owner, labels, resources, defaultAudience, lifetimeSeconds } = fields
  const { dpopBound, certificateBound } = fields
  const distinct = resources === undefined ? undefined : [...new Set(resources)]
  const plain = { name, description, owner, labels, defaultAudience, lifetimeSeconds, dpopBound, certificateBound }
  return { ...plain, ...scopes, resources: distinct, ...limitsIn(fields) }
}

/** Why the store would not have an agent so. */
export const refuseAgent = async (
  ports: Pick<Ports, 'agents'>,
  why: 'name_taken' | 'lifetimes_full',
  { name }: AgentFields,
): Promise<Refused> => {
  if (why === 'name_taken') {
    return refuse('already_exists', `An agent named ${name} exists already; choose another name.`)
  }
  const inUse = (await ports.agents.lifetimes()).join(', ')
  return refuse(
    'invalid_request',
    `${LIFETIMES_MAX} lifetimes are in use, the most there can be; choose one of ${inUse}.`,
  )
}
