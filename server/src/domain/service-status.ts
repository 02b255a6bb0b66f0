// The state of the whole service, as an operator looks at it.
import { formatTime, formatTimeOrNull, type Milliseconds } from '../../../api/values/time.ts'
import type { KeyState } from './keys/key-life.ts'
import type { Suspended } from './restore.ts'

/** Exact as of a moment, which lies further back the longer counting takes. */
export type LiveTokens = { readonly count: number; readonly at: Milliseconds }

/** What the store itself reports of its state. */
export type StoreFacts = {
  /** The time of the snapshot, by the store's clock. */
  readonly at: Milliseconds
  /** Null where they could not be counted in time. */
  readonly liveTokens: LiveTokens | null
  /** When the oldest signing key in each state was made. */
  readonly keys: readonly {
    readonly state: Exclude<KeyState, 'gone' | 'compromised'>
    readonly createdAt: Milliseconds
  }[]
  readonly credentialsExpiring: number
  readonly apiKeysExpiring: number
  /** What a restore suspended and nobody has accepted since. */
  readonly suspended: Suspended
  readonly auditEntriesUnsealed: number
  readonly openCutOffs: number
  /** The time of the oldest open cut-off; null where none is open. */
  readonly oldestOpenCutOffAt: Milliseconds | null
}

export type ServiceStatus = StoreFacts & {
  readonly agents: number
  readonly agentsDisabled: number
  readonly tokensLastMinute: number
  readonly tokensLastHour: number
  readonly tokensLastDay: number
  /** Token requests of authenticated agents that were refused in the last hour. */
  readonly refusals: number
  /** Failed authentications in the last hour. */
  readonly failedAuthentications: number
}

/** A credential or an API key that expires soon; `agentId` and `agentName` are null of an API key. */
export type Expiring = {
  readonly kind: 'credential' | 'api_key'
  readonly id: string
  readonly name: string
  readonly agentId: string | null
  readonly agentName: string | null
  readonly expiresAt: Milliseconds
  readonly lastUsedAt: Milliseconds | null
}

export const expiringRecord = ({ kind, id, name, agentId, agentName, expiresAt, lastUsedAt }: Expiring) => ({
  kind,
  id,
  name,
  agent_id: agentId,
  agent_name: agentName,
  expires_at: formatTime(expiresAt),
  last_used_at: formatTimeOrNull(lastUsedAt),
})

/** The JSON of the status, over HTTP and on the command line. */
export const statusRecord = (status: ServiceStatus) => ({
  at: formatTime(status.at),
  agents: status.agents,
  agents_disabled: status.agentsDisabled,
  live_tokens: status.liveTokens?.count ?? null,
  live_tokens_at: formatTimeOrNull(status.liveTokens?.at ?? null),
  tokens_last_minute: status.tokensLastMinute,
  tokens_last_hour: status.tokensLastHour,
  tokens_last_day: status.tokensLastDay,
  refusals: status.refusals,
  failed_authentications: status.failedAuthentications,
  signing_keys: status.keys.map(({ state, createdAt }) => ({ state, created_at: formatTime(createdAt) })),
  credentials_expiring: status.credentialsExpiring,
  api_keys_expiring: status.apiKeysExpiring,
  agents_suspended: status.suspended.agents,
  credentials_suspended: status.suspended.credentials,
  api_keys_suspended: status.suspended.apiKeys,
  issuers_suspended: status.suspended.issuers,
  revocations_open: status.openCutOffs,
  oldest_open_revocation_at: formatTimeOrNull(status.oldestOpenCutOffAt),
  audit_entries_unsealed: status.auditEntriesUnsealed,
})
