// What the store itself reports of its state: one snapshot of cheap look-ups, for metrics. Nothing here grows with the number of tokens.
import { EXPIRING_DAYS } from '../../../../api/values/status.ts'
import { DAY_MS, type Milliseconds } from '../../../../api/values/time.ts'
import type { VerifierCounts } from '../../domain/clients/verifier.ts'
import type { StoreFacts } from '../../domain/service-status.ts'
import { type FeedParts, readAnyHead } from '../feed/read-feed.ts'
import { countVerifiers } from '../feed/verifiers.ts'
import { readAgentOf } from '../ledger/scan-affected-rows.ts'
import { readLastBackup } from '../repositories/backups.ts'
import { readSuspended } from '../repositories/suspensions.ts'
import type { Snapshot } from '../snapshot.ts'
import { all, byIndex, only, type Program } from '../statement-program.ts'

/** The standbys and their lag; null where the store has none, or may not see them. */
export type ReplicationFacts = { readonly standbys: number | null; readonly lagBytes: number | null }

/** The facts of a store without standbys. */
export function* noReplication(): Program<ReplicationFacts> {
  yield* []
  return { standbys: null, lagBytes: null }
}

/** What only metrics contain besides. */
export type MetricFacts = StoreFacts & {
  /** Rows that the backfill of the oldest open cut-off has not read yet, at most {@link BACKLOG_COUNTED}. */
  readonly cutOffBacklog: number
  /** Ended tokens whose descendants have yet to follow, at most {@link BACKLOG_COUNTED}. */
  readonly cascades: number
  readonly replication: ReplicationFacts
  /** The moment as of which the last recorded backup shows the store; null if none is recorded. */
  readonly lastBackupAt: Milliseconds | null
  readonly verifiers: VerifierCounts
}

/** A key or credential that expires sooner is counted. */
const SOON_MS = EXPIRING_DAYS * DAY_MS

/** How many rows behind the oldest open cut-off are counted. */
const BACKLOG_COUNTED = 10_000

const KEYS = `select state, min(created_at) as "createdAt" from signing_key
  where state in ('next', 'current', 'retained') group by state order by state`

const expiring = (table: 'credential' | 'api_key'): string =>
  `select count(*) as count from ${table} where revoked_at is null and expires_at > ? and expires_at <= ?`

const UNSEALED = `select coalesce((select n from audit order by n desc limit 1), 0)
  - coalesce((select last_n from seal order by n desc limit 1), 0) as count`

const OPEN = `select count(*) as count, min(at) as oldest from cutoff where state = 'open'`

const CASCADES = 'select count(*) as count from (select 1 as one from cascade limit ?) as waiting'

const POSITION = 'select fill_life as life, fill_id as id from cutoff where seq = ?'

// Compared as one, the place is found in the index, however many rows lie before it.
const BEHIND = {
  life: 'select count(*) as count from (select 1 as one from token where (life, id) > (?, ?) limit ?) as behind',
  agent: `select count(*) as count from (select 1 as one from token ${byIndex('token_agent')}
    where (agent, life, id) > (?, ?, ?) and agent <= ? limit ?) as behind`,
}

/** Rows beyond the place that the backfill of the oldest open cut-off has reached, whether they are covered or not. */
function* countBacklog(snapshot: Snapshot): Program<number> {
  const [oldest] = yield* snapshot.cutOffs()
  if (oldest === undefined) return 0
  const { life, id } = yield* only<{ life: number; id: Uint8Array }>(POSITION, oldest.seq)
  const agent = yield* readAgentOf(oldest)
  const { count } =
    agent === null
      ? yield* only<{ count: number }>(BEHIND.life, life, id, BACKLOG_COUNTED)
      : yield* only<{ count: number }>(BEHIND.agent, agent, life, id, agent, BACKLOG_COUNTED)
  return count
}

/** Live tokens are counted for themselves, in steps. */
export type SnapshotFacts = Omit<StoreFacts, 'liveTokens'>

/** Reads everything in one snapshot. */
export function* readFacts({ now }: Snapshot): Program<SnapshotFacts> {
  const soon = [now, now + SOON_MS] as const
  const open = yield* only<{ count: number; oldest: number | null }>(OPEN)
  return {
    at: now,
    keys: yield* all<StoreFacts['keys'][number]>(KEYS),
    credentialsExpiring: (yield* only<{ count: number }>(expiring('credential'), ...soon)).count,
    apiKeysExpiring: (yield* only<{ count: number }>(expiring('api_key'), ...soon)).count,
    suspended: yield* readSuspended({ now }),
    auditEntriesUnsealed: Math.max(0, (yield* only<{ count: number }>(UNSEALED)).count),
    openCutOffs: open.count,
    oldestOpenCutOffAt: open.oldest,
  }
}

/** What differs between the stores. */
type Own = Pick<FeedParts, 'epochSuffix'> & { readonly readReplication: () => Program<ReplicationFacts> }

/** Reads the facts of the status, and what only metrics contain. */
export function* readMetricFacts(
  snapshot: Snapshot,
  { readReplication, epochSuffix }: Own,
): Program<Omit<MetricFacts, 'liveTokens'>> {
  const facts = yield* readFacts(snapshot)
  return {
    ...facts,
    cutOffBacklog: yield* countBacklog(snapshot),
    cascades: (yield* only<{ count: number }>(CASCADES, BACKLOG_COUNTED)).count,
    replication: yield* readReplication(),
    lastBackupAt: yield* readLastBackup(),
    verifiers: yield* countVerifiers(yield* readAnyHead(snapshot.now, epochSuffix)),
  }
}
