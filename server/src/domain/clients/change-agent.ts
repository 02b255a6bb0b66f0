// The effect of a change on an agent, and what the agent loses: pure, so that the store can decide inside its transaction.
import type { Agent } from './agent.ts'
import { ANY_RESOURCE, audiencesOfAgent, firstResourceBeyond } from '../../../../api/values/audience.ts'
import {
  actsForPrincipal,
  ANY_AGENT,
  CLIENT_CREDENTIALS,
  type GrantType,
  issuerIn,
  JWT_BEARER,
  TOKEN_EXCHANGE,
} from '../../../../api/values/delegation.ts'
import { LABELS_MAX, type LabelsChange, mergeLabels } from '../../../../api/values/labels.ts'
import { NO_LIMITS } from '../../../../api/values/limits.ts'
import { NO_OWN_CLAIMS } from '../../../../api/values/own-claims.ts'
import { type OrRefusal, refuse } from '../refusal.ts'
import { firstScopeBeyond } from '../../../../api/values/scope.ts'
import type { IssuerSubject } from '../../../../api/values/subject.ts'

/** The settings of an agent. */
export type AgentSettings = Omit<Agent, 'id' | 'clientId' | 'managedBy' | 'createdAt' | 'disabledAt' | 'suspendedAt'>

type PlainSettings = Omit<AgentSettings, 'labels'>

/** The settings to change; absent or undefined ones stay as they are. */
export type AgentChange = { readonly [Name in keyof PlainSettings]?: PlainSettings[Name] | undefined } & {
  readonly labels?: LabelsChange | undefined
}

export type WantedChange = {
  readonly agentId: string
  readonly change: AgentChange
  /** The audience of tokens if neither request nor agent names one; null if it is unknown. */
  readonly serviceAudience: string | null
  /** The aliases of issuers that will be there before it is made; absent: none. */
  readonly comingIssuers?: readonly string[]
}

/** Why the store does not change an agent; the change itself may be refused too. */
export type ChangeObstacle = 'unknown' | 'name_taken' | 'lifetimes_full'

/** The settings of a new agent before any are given. */
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
  grantTypes: [CLIENT_CREDENTIALS],
  actsFor: [],
  receives: [],
  issuerClients: {},
  claims: NO_OWN_CLAIMS,
  expiresAt: null,
}

/** What a change names: its members less undefined ones. */
export const givenOf = <Change extends object>(change: Change) =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof Change]?: Exclude<Change[Name], undefined>
  }

const merge = (before: AgentSettings, { labels, ...plain }: AgentChange): AgentSettings => ({
  ...before,
  ...givenOf(plain),
  labels: labels === undefined ? before.labels : mergeLabels(before.labels, labels),
})

/** A default scope beyond the scope would grant the agent what was just taken away. */
const refuseDefaults = (
  before: AgentSettings,
  change: AgentChange,
  after: AgentSettings,
): ReturnType<typeof refuse> | undefined => {
  const scope = firstScopeBeyond(after.scopes, after.defaultScope ?? [])
  if (scope !== undefined) {
    return refuse('invalid_scope', `The default scope holds ${scope}, which the scope does not allow.`)
  }
  // A default audience need not be among the resources: naming it allows it. One that was removed from them must be named again.
  const kept = change.defaultAudience === undefined ? [after.defaultAudience].filter(one => one !== null) : []
  const wasAllowed = firstResourceBeyond(before.resources, kept) === undefined
  const lost = wasAllowed ? firstResourceBeyond(after.resources, kept) : undefined
  if (lost === undefined) return undefined
  return refuse(
    'invalid_target',
    `The default audience is ${lost}, which the resources would no longer allow: name the default audience too.`,
  )
}

/** A token is bound to one key: an agent with both settings could never get one. */
const refuseTwoKeys = ({ dpopBound, certificateBound }: AgentSettings): ReturnType<typeof refuse> | undefined =>
  dpopBound && certificateBound
    ? refuse(
        'invalid_request',
        'dpop_bound_access_tokens and tls_client_certificate_bound_access_tokens exclude each other: a token is bound to one key.',
      )
    : undefined

/** The changed settings, or why the change is refused. */
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

/** The scope patterns that tokens may keep, if some pattern was lost; null if none was. */
export const scopesKept = (before: AgentSettings, after: AgentSettings): readonly string[] | null =>
  // `db:*` matches `db:*` and every item of db, and an item matches itself alone: so patterns compare as items do.
  firstScopeBeyond(after.scopes, before.scopes) === undefined ? null : after.scopes

/** Whether tokens that fitted the agent may outlive it now. */
export const endsEarlier = ({ expiresAt: before }: AgentSettings, { expiresAt: after }: AgentSettings): boolean =>
  after !== null && (before === null || after < before)

const losesGrant = (grant: GrantType, before: AgentSettings, after: AgentSettings): boolean =>
  before.grantTypes.includes(grant) && !after.grantTypes.includes(grant)

/** Whether the agent may no longer exchange tokens of agents that it could exchange before: it then loses all that it got so. */
export const losesActors = (before: AgentSettings, after: AgentSettings): boolean => {
  const ofAgents = before.actsFor.filter(entry => issuerIn(entry) === undefined)
  return (
    (!after.actsFor.includes(ANY_AGENT) && ofAgents.some(entry => !after.actsFor.includes(entry))) ||
    firstResourceBeyond(after.receives, before.receives) !== undefined ||
    losesGrant(TOKEN_EXCHANGE, before, after)
  )
}

/** Subjects of issuers: all of those with these aliases, and some of others. */
export type LostPrincipals = { readonly aliases: readonly string[]; readonly subjects: readonly IssuerSubject[] }

/**
 * For whom the agent may no longer exchange JWTs, or no longer those that it could: it then loses all that it has for them. What it
 * lost of an issuer, of which it keeps single subjects, ends for these too.
 */
export const lostPrincipals = (before: AgentSettings, after: AgentSettings): LostPrincipals => {
  const named = before.actsFor.flatMap(entry => issuerIn(entry) ?? [])
  const removed = before.actsFor.filter(entry => !after.actsFor.includes(entry)).flatMap(entry => issuerIn(entry) ?? [])
  const isRecipientLost = before.receives.some(one => !after.receives.includes(one))
  const aliases = new Set([
    ...removed.filter(({ sub }) => sub === null).map(({ issuer }) => issuer),
    ...Object.entries(before.issuerClients).flatMap(([alias, id]) =>
      after.issuerClients[alias] === id ? [] : [alias],
    ),
    ...(isRecipientLost || ([TOKEN_EXCHANGE, JWT_BEARER] as const).some(grant => losesGrant(grant, before, after))
      ? named.map(({ issuer }) => issuer)
      : []),
  ])
  const subjects = removed.flatMap(({ issuer, sub }) =>
    sub === null || aliases.has(issuer) || actsForPrincipal(after.actsFor, issuer, sub) ? [] : [{ issuer, sub }],
  )
  return { aliases: [...aliases], subjects }
}

/**
 * The audiences that tokens may keep, if some audience was lost; null if none was. `serviceAudience` is null
 * if it is unknown: then a change that depends on it is refused.
 */
export const audiencesKept = (
  before: AgentSettings,
  after: AgentSettings,
  serviceAudience: string | null,
): OrRefusal<{ readonly keepAudiences: readonly string[] | null }> => {
  const kept = audiencesOfAgent(after, serviceAudience)
  if (kept.includes(ANY_RESOURCE)) return { keepAudiences: null }
  const fallsBackNow = after.defaultAudience === null
  // If the service's audience is in both sets or in neither, it does not affect this comparison.
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
