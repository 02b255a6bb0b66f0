// Where tokens are used: introspections and reported uses by agent and API key, and tokens that are used after their end.
import { formatTime, type Milliseconds } from '../../../../api/values/time.ts'
import type { Administrator } from '../caller.ts'
import { audiencesOf } from '../caller.ts'
import { agentMembers, type WithNames } from '../lists/names.ts'
import type { AgentUses } from './verifier.ts'

/** The uses of one agent's tokens by one API key in one minute. */
export type TokenUse = Pick<WithNames, 'names'> & {
  readonly number: number
  readonly minute: Milliseconds
  /** Null where no known agent owns the tokens. */
  readonly agentId: string | null
  /** Null for all pairs beyond the limit of a minute. */
  readonly apiKeyId: string | null
  readonly apiKeyName: string | null
  /** Whether the tokens are for other audiences than the API key may see. */
  readonly isOutside: boolean
  readonly active: number
  readonly inactive: number
  readonly afterEnd: number
  readonly uses: number
  readonly firstAt: Milliseconds
  readonly lastAt: Milliseconds
}

/** The uses of one token by one API key after the token had ended. */
export type LateUse = Pick<TokenUse, 'names' | 'number' | 'agentId' | 'isOutside' | 'firstAt' | 'lastAt'> & {
  readonly tokenId: string
  readonly apiKeyId: string
  readonly apiKeyName: string
  /** Whether nothing but time ended it. */
  readonly isExpired: boolean
  readonly count: number
}

/** Filters; null means no filter. */
export type TokenUseFilters = {
  readonly agentId: string | null
  readonly apiKeyId: string | null
  readonly since: Milliseconds | null
  readonly before: Milliseconds | null
  /** The API key whose uses alone the caller sees, and only of tokens that the key may see; null: all. */
  readonly onlyThrough: string | null
}

export type LateUseFilters = TokenUseFilters & { readonly tokenId: string | null }

/** An API key limited to audiences sees what was asked with the key itself: who else asks is of other tenants. */
export const onlyThrough = (caller: Administrator): string | null =>
  caller.kind === 'api_key' && audiencesOf(caller) !== null ? caller.id : null

export const tokenUseRecord = (use: TokenUse) => ({
  minute: formatTime(use.minute),
  agent_id: use.agentId,
  ...agentMembers(use),
  api_key_id: use.apiKeyId,
  api_key_name: use.apiKeyName,
  outside_audiences: use.isOutside,
  introspections: use.active + use.inactive,
  active: use.active,
  after_end: use.afterEnd,
  uses: use.uses,
  first_used_at: formatTime(use.firstAt),
  last_used_at: formatTime(use.lastAt),
})

export const lateUseRecord = (use: LateUse) => ({
  token_id: use.tokenId,
  agent_id: use.agentId,
  ...agentMembers(use),
  api_key_id: use.apiKeyId,
  api_key_name: use.apiKeyName,
  outside_audiences: use.isOutside,
  expired: use.isExpired,
  count: use.count,
  first_used_at: formatTime(use.firstAt),
  last_used_at: formatTime(use.lastAt),
})

const sumOf = (uses: readonly AgentUses[]): number => uses.reduce((sum, { count }) => sum + count, 0)

/** What one report can add: a verifier is believed, and still no sum may pass what a number holds. */
const ADDED_MAX = 1_000_000_000

/**
 * The uses that a report adds, and the counts that the next report is compared with. A follower counts from its start: less than half
 * of the last counts means that it restarted; a report that a later one overtook is a little smaller, and adds nothing.
 */
export const usesSince = (
  counted: readonly AgentUses[],
  reported: readonly AgentUses[],
): { readonly added: readonly AgentUses[]; readonly counted: readonly AgentUses[] } => {
  const hasRestarted = 2 * sumOf(reported) < sumOf(counted)
  const before = new Map(hasRestarted ? [] : counted.map(({ agent_id: id, count }) => [id, count]))
  const added = reported.flatMap(({ agent_id, count }) => {
    const more = Math.min(count - (before.get(agent_id) ?? 0), ADDED_MAX)
    return more > 0 ? [{ agent_id, count: more }] : []
  })
  if (hasRestarted) return { added, counted: reported }
  const after = new Map(before)
  for (const { agent_id, count } of reported) after.set(agent_id, Math.max(count, before.get(agent_id) ?? 0))
  // No more than a report may name: those that it does not name any more go first.
  const named = [...reported.map(one => one.agent_id), ...before.keys()].slice(0, Math.max(reported.length, 100))
  return { added, counted: [...new Set(named)].map(id => ({ agent_id: id, count: after.get(id) ?? 0 })) }
}
