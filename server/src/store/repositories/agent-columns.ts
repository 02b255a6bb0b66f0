// In this folder: agents, credentials, API keys, sessions and imports in the store. An act and the ends it causes are one transaction.
// The columns of the table of agents. A setting has one entry here; what reads and writes agents derives from it.
import type { Agent } from '../../domain/clients/agent.ts'
import type { AgentSettings } from '../../domain/clients/change-agent.ts'
import { isGrantType } from '../../../../api/values/delegation.ts'
import type { AtLiveTokensMax } from '../../../../api/values/limits.ts'
import { parseLabels, parseOwnClaims, parseStrings } from '../rows.ts'
import type { Value } from '../statement-program.ts'

/** How a value stands in its column. */
type Column<Kept> = {
  readonly name: string
  readonly write: (kept: Kept) => Value
  readonly read: (value: Value) => Kept
}

const text = (name: string): Column<string> => ({ name, write: kept => kept, read: String })

const orNull = <Kept>({ name, write, read }: Column<Kept>): Column<Kept | null> => ({
  name,
  write: kept => (kept === null ? null : write(kept)),
  read: value => (value === null ? null : read(value)),
})

const count = (name: string): Column<number | null> => orNull({ name, write: kept => kept, read: Number })

const flag = (name: string): Column<boolean> => ({ name, write: kept => (kept ? 1 : 0), read: value => value === 1 })

const list = (name: string): Column<readonly string[]> => ({
  name,
  write: kept => JSON.stringify(kept),
  read: value => parseStrings(String(value)),
})

const texts = (name: string): Column<Readonly<Record<string, string>>> => ({
  name,
  write: kept => JSON.stringify(kept),
  read: value => parseLabels(String(value)),
})

const COLUMNS: { readonly [Name in keyof AgentSettings]: Column<AgentSettings[Name]> } = {
  name: text('name'),
  description: orNull(text('description')),
  owner: orNull(text('owner')),
  labels: texts('labels'),
  scopes: list('scopes'),
  defaultScope: orNull(list('default_scope')),
  resources: list('resources'),
  defaultAudience: orNull(text('default_audience')),
  lifetimeSeconds: count('life'),
  tokensPerMinute: count('tokens_per_minute'),
  tokensPerDay: count('tokens_per_day'),
  liveTokensMax: count('live_tokens_max'),
  atLiveTokensMax: {
    name: 'at_live_tokens_max',
    write: kept => kept,
    read: value => value as AtLiveTokensMax, // the column has a check
  },
  dpopBound: flag('dpop_bound'),
  certificateBound: flag('certificate_bound'),
  grantTypes: {
    name: 'grant_types',
    write: kept => JSON.stringify(kept),
    read: value => parseStrings(String(value)).filter(isGrantType),
  },
  actsFor: list('acts_for'),
  receives: list('receives'),
  issuerClients: texts('issuer_clients'),
  claims: { name: 'claims', write: kept => JSON.stringify(kept), read: value => parseOwnClaims(String(value)) },
  expiresAt: count('expires_at'),
}

const SETTINGS = Object.entries(COLUMNS) as readonly (readonly [keyof AgentSettings, Column<unknown>])[] // as above

/** The names, in the order of {@link settingValues}. */
export const SETTING_COLUMNS = SETTINGS.map(([, { name }]) => name).join(', ')

/** A question mark for each of them. */
export const SETTING_PLACES = SETTINGS.map(() => '?').join(', ')

/** `column = ?` for each of them. */
export const SETTING_UPDATES = SETTINGS.map(([, { name }]) => `${name} = ?`).join(', ')

export const settingValues = (settings: AgentSettings): readonly Value[] =>
  SETTINGS.map(([setting, { write }]) => write(settings[setting]))

/** `n` is the store's number of the agent. */
export type AgentRow = Omit<Agent, keyof AgentSettings> & { readonly n: number; readonly name: string } & Readonly<
    Record<Exclude<keyof AgentSettings, 'name'>, Value>
  >

/** What a query of agents selects. */
export const AGENT_COLUMNS = [
  'n, id, client_id as "clientId", created_at as "createdAt"',
  'disabled_at as "disabledAt", suspended_at as "suspendedAt", managed_by as "managedBy"',
  ...SETTINGS.map(([setting, { name }]) => `${name} as "${setting}"`),
].join(', ')

export const agentOf = (row: AgentRow): Agent => {
  const settings = Object.fromEntries(SETTINGS.map(([setting, { read }]) => [setting, read(row[setting])]))
  const { id, clientId, managedBy, createdAt, disabledAt, suspendedAt } = row
  return { id, clientId, managedBy, createdAt, disabledAt, suspendedAt, ...(settings as AgentSettings) } // by COLUMNS
}
