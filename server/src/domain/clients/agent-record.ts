// In this folder: records and rules of agents, credentials, API keys, sessions and verifiers. operations/ applies the rules.
// The record of an agent for the API, the command line and the audit log, and a change of one in a body.
import { formatScope } from '../../../../api/values/scope.ts'
import { formatTime, formatTimeOrNull } from '../../../../api/values/time.ts'
import type { Agent } from './agent.ts'
import type { Delegation, DelegationPeer } from './delegation.ts'
import { type AgentChange, type AgentSettings, BLANK_SETTINGS } from './change-agent.ts'

type SettingName = keyof AgentSettings

/** Settings whose names on the wire differ from their names here in lower snake case. */
const OTHER_NAMES = {
  scopes: 'scope',
  dpopBound: 'dpop_bound_access_tokens',
  certificateBound: 'tls_client_certificate_bound_access_tokens',
} as const

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : ''

type WireName<Name extends SettingName> = Name extends keyof typeof OTHER_NAMES
  ? (typeof OTHER_NAMES)[Name]
  : Snake<Name>

type Written = {
  scopes: string
  defaultScope: string | null
  resources: string[]
  grantTypes: string[]
  actsFor: string[]
  receives: string[]
  issuerClients: Record<string, string>
  claims: Record<string, string | number | boolean | string[]>
  expiresAt: string | null
}

/** The settings of an agent, under their names on the wire. */
export type SettingsRecord = {
  -readonly [Name in SettingName as WireName<Name>]: Name extends keyof Written ? Written[Name] : AgentSettings[Name]
}

const isRenamed = (name: SettingName): name is keyof typeof OTHER_NAMES => name in OTHER_NAMES

const wireNameOf = (name: SettingName): string =>
  isRenamed(name) ? OTHER_NAMES[name] : name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

const NAMES = (Object.keys(BLANK_SETTINGS) as SettingName[]).map(name => [name, wireNameOf(name)] as const) // its own keys

export const settingsRecord = (settings: AgentSettings): SettingsRecord => {
  const written = {
    ...settings,
    scopes: formatScope(settings.scopes),
    defaultScope: settings.defaultScope === null ? null : formatScope(settings.defaultScope),
    resources: [...settings.resources],
    grantTypes: [...settings.grantTypes],
    actsFor: [...settings.actsFor],
    receives: [...settings.receives],
    issuerClients: { ...settings.issuerClients },
    claims: { ...settings.claims },
    expiresAt: formatTimeOrNull(settings.expiresAt),
  }
  return Object.fromEntries(NAMES.map(([name, wireName]) => [wireName, written[name]])) as SettingsRecord // one of each name
}

type ChangeBody = { readonly [Name in SettingName as WireName<Name>]?: AgentChange[Name] }

/** The change in a body; absent members stay as they are. */
export const changeOf = (body: ChangeBody): AgentChange => {
  const said: Readonly<Record<string, unknown>> = body
  return Object.fromEntries(
    NAMES.filter(([, wireName]) => said[wireName] !== undefined).map(([name, wireName]) => [name, said[wireName]]),
  ) // what the schema made of each setting
}

export const agentRecord = (agent: Agent) => ({
  agent_id: agent.id,
  client_id: agent.clientId,
  ...settingsRecord(agent),
  managed_by: agent.managedBy,
  created_at: formatTime(agent.createdAt),
  disabled_at: formatTimeOrNull(agent.disabledAt),
  suspended_at: formatTimeOrNull(agent.suspendedAt),
})

const peerRecord = ({ id, name, owner, disabledAt, by }: DelegationPeer) => ({
  agent_id: id,
  name,
  owner,
  disabled_at: formatTimeOrNull(disabledAt),
  by,
})

/** Who may act for an agent, and for whom it may act, on the wire. */
export const delegationRecord = ({ agent, subjects, actors }: Delegation) => ({
  agent_id: agent.id,
  grant_types: [...agent.grantTypes],
  acts_for: [...agent.actsFor],
  receives: [...agent.receives],
  issuer_clients: { ...agent.issuerClients },
  subjects: subjects.peers.map(peerRecord),
  subjects_more: subjects.hasMore,
  actors: actors.peers.map(peerRecord),
  actors_more: actors.hasMore,
})
