// What a change makes of an agent, and what it takes from the agent: pure, so that the store can decide inside its transaction.
import type { Agent } from './agent.ts'
import { ANY_RESOURCE, audiencesOfAgent, firstResourceBeyond } from '../../../../api/values/audience.ts'
import { LABELS_MAX, type LabelsChange, mergeLabels } from '../../../../api/values/labels.ts'
import { NO_LIMITS } from '../../../../api/values/limits.ts'
import { type OrRefusal, refuse } from '../refusal.ts'
import { firstScopeBeyond } from '../../../../api/values/scope.ts'

/** What can be changed of an agent. */
export type AgentSettings = Omit<Agent, 'id' | 'clientId' | 'createdAt' | 'disabledAt' | 'suspendedAt'>

type PlainSettings = Omit<AgentSettings, 'labels'>

/** The members to change; one that is absent or undefined stays as it is. */
export type AgentChange = { readonly [Name in keyof PlainSettings]?: PlainSettings[Name] | undefined } & {
  readonly labels?: LabelsChange | undefined
}

/** A new agent before anything is said of it. */
export const BLANK_SETTINGS: AgentSettings = {
  name: '',
  description: null,
  owner: null,
  labels: {},
  scopes: [],
  defaultScope: null,
  resources: [],
  defaultAudience: null,
  lifetimeSeconds: null,
  ...NO_LIMITS,
  dpopBound: false,
  certificateBound: false,
}

const isGiven = ([, value]: readonly [string, unknown]): boolean => value !== undefined

const merge = (before: AgentSettings, { labels, ...plain }: AgentChange): AgentSettings => ({
  ...before,
  ...(Object.fromEntries(Object.entries(plain).filter(isGiven)) as Partial<PlainSettings>), // what `plain` holds, less undefined
  labels: labels === undefined ? before.labels : mergeLabels(before.labels, labels),
})

/** A default that the agent may not ask for itself would grant it what was just taken away. */
const refuseDefaults = (
  before: AgentSettings,
  change: AgentChange,
  after: AgentSettings,
): ReturnType<typeof refuse> | undefined => {
  const scope = firstScopeBeyond(after.scopes, after.defaultScope ?? [])
  if (scope !== undefined) {
    return refuse('invalid_scope', `The default scope holds ${scope}, which the scope does not allow.`)
  }
  // A default audience need not be among the resources: naming it allows it. One that was among them must not stay by oversight.
  const kept = change.defaultAudience === undefined ? [after.defaultAudience].filter(one => one !== null) : []
  const wasAllowed = firstResourceBeyond(before.resources, kept) === undefined
  const lost = wasAllowed ? firstResourceBeyond(after.resources, kept) : undefined
  if (lost === undefined) return undefined
  return refuse(
    'invalid_target',
    `The default audience is ${lost}, which the resources would no longer allow: name the default audience too.`,
  )
}

/** A token is bound to one key: no request of such an agent could be granted. */
const refuseTwoKeys = ({ dpopBound, certificateBound }: AgentSettings): ReturnType<typeof refuse> | undefined =>
  dpopBound && certificateBound
    ? refuse(
        'invalid_request',
        'dpop_bound_access_tokens and tls_client_certificate_bound_access_tokens exclude each other: a token is bound to one key.',
      )
    : undefined

/** The settings with the change made, or why that cannot be. */
export const applyChange = (before: AgentSettings, change: AgentChange): OrRefusal<AgentSettings> => {
  const after = merge(before, change)
  if (Object.keys(after.labels).length > LABELS_MAX) {
    return refuse('invalid_request', `An agent may have at most ${LABELS_MAX} labels.`)
  }
  return refuseTwoKeys(after) ?? refuseDefaults(before, change, after) ?? after
}

const NAMES = Object.keys(BLANK_SETTINGS) as readonly (keyof AgentSettings)[] // the keys of a value of that type

/** The settings that differ. */
export const changedSettings = (before: AgentSettings, after: AgentSettings): readonly (keyof AgentSettings)[] =>
  NAMES.filter(name => JSON.stringify(before[name]) !== JSON.stringify(after[name]))

/** The patterns of scope that tokens may go on with, where some pattern was lost; null where none was. */
export const scopesKept = (before: AgentSettings, after: AgentSettings): readonly string[] | null =>
  // `db:*` matches `db:*` and every item of db, and an item matches itself alone: so patterns compare as items do.
  firstScopeBeyond(after.scopes, before.scopes) === undefined ? null : after.scopes

/**
 * The audiences that tokens may go on with, where some audience was lost; null where none was. `serviceAudience` is null
 * where it is not known: then a change whose answer hangs on it is refused.
 */
export const audiencesKept = (
  before: AgentSettings,
  after: AgentSettings,
  serviceAudience: string | null,
): OrRefusal<{ readonly keepAudiences: readonly string[] | null }> => {
  const kept = audiencesOfAgent(after, serviceAudience)
  if (kept.includes(ANY_RESOURCE)) return { keepAudiences: null }
  const fallsBackNow = after.defaultAudience === null
  // Where the service's audience is lost or kept by both, it makes no difference to this comparison.
  const isLost =
    firstResourceBeyond(kept, audiencesOfAgent(before, fallsBackNow ? null : serviceAudience)) !== undefined
  const hidesService = !fallsBackNow && before.defaultAudience === null && serviceAudience === null
  if (!isLost && !hidesService) return { keepAudiences: null }
  if (!fallsBackNow || serviceAudience !== null) return { keepAudiences: kept }
  return refuse(
    'invalid_target',
    'Tokens for the default audience of the service would go on, but that is not known here: set MINTMARK_BASE_URL or MINTMARK_DEFAULT_AUDIENCE as the service has it.',
  )
}
