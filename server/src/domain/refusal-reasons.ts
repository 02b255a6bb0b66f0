// Why requests are refused, as it is counted: the code of the error, or the name of the limit that was reached.
import type { LimitName } from '../../../api/values/limits.ts'
import type { Refusal, RefusalCode, WorkLimit } from './refusal.ts'

/** A limit of an agent by its member over HTTP. */
export const AGENT_LIMITS = {
  tokensPerMinute: 'tokens_per_minute',
  tokensPerDay: 'tokens_per_day',
  liveTokensMax: 'live_tokens_max',
} as const satisfies Readonly<Record<LimitName, string>>

type AgentLimit = (typeof AGENT_LIMITS)[LimitName]

/** Beyond the limits of an agent, which are counted each by its own name. */
type ServiceLimit =
  | Exclude<WorkLimit, 'agent_tokens'>
  | 'connections'
  | 'failed_authentications'
  | 'waiting_requests'
  | Extract<RefusalCode, 'request_too_large' | 'temporarily_unavailable'>

export type LimitReason = AgentLimit | ServiceLimit
export type RefusalReason = RefusalCode | LimitReason

type Limit = {
  /** What is answered beyond it; null: nothing, the connection is closed. */
  readonly status: 413 | 429 | 503 | null
  /** What changes it: settings of the service, or members of an agent. Empty: it is fixed, or the service cannot answer. */
  readonly settings: readonly string[]
}

const ofAgent = (member: AgentLimit): Limit => ({ status: 429, settings: [member] })
const FIXED: Limit = { status: 503, settings: [] }

export const LIMITS: Readonly<Record<LimitReason, Limit>> = {
  tokens_per_minute: ofAgent('tokens_per_minute'),
  tokens_per_day: ofAgent('tokens_per_day'),
  live_tokens_max: ofAgent('live_tokens_max'),
  connections: { status: null, settings: ['MINTMARK_CONNECTIONS_MAX', 'MINTMARK_CONNECTIONS_PER_ADDRESS'] },
  failed_authentications: {
    status: 429,
    settings: ['MINTMARK_FAILED_AUTH_PER_CLIENT', 'MINTMARK_FAILED_AUTH_PER_ADDRESS'],
  },
  request_too_large: { status: 413, settings: ['MINTMARK_BODY_BYTES_MAX'] },
  temporarily_unavailable: FIXED,
  waiting_requests: FIXED,
  console_streams: FIXED,
  cut_offs: FIXED,
  exports: FIXED,
  followers: FIXED,
  imported_secrets: FIXED,
  key_sets: FIXED,
  ledger_names: FIXED,
  signatures: FIXED,
  token_requests: FIXED,
}

export const isLimit = (reason: string): reason is LimitReason => Object.hasOwn(LIMITS, reason)

/** Counts what a limit of the service turned away. It never throws. */
export type CountLimit = (limit: ServiceLimit) => void

/** The limit that an answer is counted by; undefined: none, or one of its agent, which was counted with the agent. */
export const limitOf = (code: Refusal['code'], limit: WorkLimit | undefined): ServiceLimit | undefined => {
  if (limit !== undefined) return limit === 'agent_tokens' ? undefined : limit
  return code === 'request_too_large' || code === 'temporarily_unavailable' ? code : undefined
}
