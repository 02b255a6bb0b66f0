// Reads which credentials and API keys expire soon.
import { EXPIRING_DAYS, EXPIRING_MAX } from '../../../../api/values/status.ts'
import { DAY_MS } from '../../../../api/values/time.ts'
import type { Expiring } from '../../domain/service-status.ts'
import type { Snapshot } from '../snapshot.ts'
import { all, type Program } from '../statement-program.ts'

const LIVE = 'revoked_at is null and {}.expires_at > ? and {}.expires_at <= ? order by {}.expires_at, {}.id limit ?'

const liveOf = (table: string): string => `${table}.${LIVE.replaceAll('{}', table)}`

const columnsOf = (table: string): string =>
  `${table}.id, ${table}.name, ${table}.expires_at as "expiresAt", ${table}.last_used_at as "lastUsedAt"`

const CREDENTIALS = `select 'credential' as kind, agent.id as "agentId", agent.name as "agentName", ${columnsOf('credential')}
  from credential join agent on agent.n = credential.agent where agent.deleted_at is null and ${liveOf('credential')}`

const API_KEYS = `select 'api_key' as kind, null as "agentId", null as "agentName", ${columnsOf('api_key')}
  from api_key where ${liveOf('api_key')}`

/** Reads what expires soon, soonest first. */
export function* readExpiring({ now }: Snapshot): Program<readonly Expiring[]> {
  const soon = [now, now + EXPIRING_DAYS * DAY_MS, EXPIRING_MAX] as const
  const found = [...(yield* all<Expiring>(CREDENTIALS, ...soon)), ...(yield* all<Expiring>(API_KEYS, ...soon))]
  return found.toSorted((a, b) => a.expiresAt - b.expiresAt).slice(0, EXPIRING_MAX)
}
