// What the primary knows of its standbys, for metrics.
import type { ReplicationFacts } from '../metrics/facts.ts'
import { only, type Program } from '../statement-program.ts'

// A role without pg_monitor sees that there are connections, and nothing of them.
const STANDBYS = `select case when bool_or(state is null) then null else count(*) end as standbys,
  max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::bigint as "lagBytes"
  from pg_stat_replication where state is null or state = 'streaming'`

export function* readReplication(): Program<ReplicationFacts> {
  return yield* only<ReplicationFacts>(STANDBYS)
}
