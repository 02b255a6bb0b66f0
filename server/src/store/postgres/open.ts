// Opens a store on PostgreSQL: a few connections to the primary, and the ports over them.
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import { NO_METRICS } from '../../ports/metrics.ts'
import { IGNORE } from '../background.ts'
import { coverAnswer, makeLease } from '../lease.ts'
import { makeNameCaches } from '../ledger/name-caches.ts'
import { makeSets } from '../ledger/interned-sets.ts'
import { monotonicMs, waitOf } from '../clocks.ts'
import { given, only } from '../statement-program.ts'
import { supplyKeys } from '../signing-keys/key-scheduler.ts'
import type { StoreOptions } from '../store-options.ts'
import { makeHealth, makeStorePorts } from '../store-ports.ts'
import type { DatabaseAddress } from './connection/address.ts'
import { startSession } from './connection/start-session.ts'
import { makeHotLedger } from './hot/hot-ledger.ts'
import { jobWriter } from './writer/jobs.ts'
import { makeBatchedLookup } from './hot/batched-lookup.ts'
import { lastGiven, transactionOpener } from './writer/open-transaction.ts'
import { connectUnhurried } from './connection/primary.ts'
import { makeReadApiKeys } from './hot/read-api-keys.ts'
import { makeFeedParts } from './hot/read-feed-page.ts'
import { makeReadSigningKey } from './hot/read-signing-key.ts'
import { makeReader } from './hot/reader.ts'
import { type RunningMaintenance, startMaintenance } from './writer/maintenance.ts'
import { makeWriter } from './writer/writer.ts'
import type { ReplicationFacts } from '../metrics/facts.ts'

// What the primary knows of its standbys, for metrics. A role without pg_monitor sees that there are connections, and nothing of them.
const STANDBYS = `select case when bool_or(state is null) then null else count(*) end as standbys,
  max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::bigint as "lagBytes"
  from pg_stat_replication where state is null or state = 'streaming'`

type PostgresOptions = StoreOptions & {
  readonly address: DatabaseAddress
  /** Whether it serves beside others that maintain the store; one that maintains it serves. */
  readonly serves?: boolean
}

type Maintained = Pick<
  Parameters<typeof startMaintenance>[0],
  'session' | 'reader' | 'writer' | 'steady' | 'onKeyWanted' | 'onFault' | 'connect'
>

/** Starts the maintenance; returns null in a process that leaves it to others. */
const maintain = (
  { timing, retention, sealing, keys, metrics = NO_METRICS }: PostgresOptions,
  maintained: Maintained,
): RunningMaintenance | null =>
  retention === null
    ? null
    : startMaintenance({
        ...maintained,
        timing,
        retention,
        sealKey: sealing?.key ?? null,
        keyPolicy: keys?.policy ?? null,
        onRetention: () => metrics.set('mintmark_last_retention_timestamp_seconds', {}, Date.now() / 1000),
        onSeal: seal => sealing?.onSeal(seal),
      })

/** Opens a store that `migrate` made. Throws StoreProblem with one line for a person. */
export const openPostgresStore = async (options: PostgresOptions) => {
  const { timing, retention, serves = retention !== null, clock, onFault = IGNORE, metrics = NO_METRICS } = options
  const access = { address: options.address, timing }
  const steady = clock?.monotonic ?? (() => Math.floor(monotonicMs()))
  const wait = serves ? waitOf(clock) : null
  const { session, madeBy, close } = await startSession({ ...access, steady, wait, metrics })
  const deadline = (until = Number.POSITIVE_INFINITY): MonotonicMilliseconds =>
    Math.min(until, session.monotonic() + timing.storeMs)
  const [sets, nameCaches] = [makeSets(), makeNameCaches()]
  session.onFailOver(() => {
    sets.forget()
    for (const memory of Object.values(nameCaches)) memory.forget()
  })
  let maintenance: RunningMaintenance | null = null
  const writer = makeWriter(session, transactionOpener(session, sets), { onActs: () => maintenance?.wake(), metrics })
  const lease = makeLease(() => writer.run({ queue: 'quiet', perform: coverAnswer, until: deadline() }), onFault)
  const lookup = makeBatchedLookup(session, metrics)
  const reader = makeReader(session, { lookup, sets, lease, deadline, metrics })
  const hot = makeHotLedger(session, { lookup, writer, nameCaches, sets, lease, deadline })
  // Every transaction of the writer writes and waits for the disk, this one nothing else.
  const verifyWrite = () => writer.run({ queue: 'quiet', perform: () => given(null), until: deadline() })
  const ports = makeStorePorts(reader, jobWriter(writer, deadline), {
    hot,
    health: makeHealth(reader, verifyWrite),
    lastGiven,
    nameCaches,
    timing,
    onFault,
    readReplication: () => only<ReplicationFacts>(STANDBYS),
    readApiKeys: makeReadApiKeys(session, deadline, metrics),
    readSigningKey: makeReadSigningKey(session, deadline, metrics),
    feed: makeFeedParts(session, { lease, deadline, metrics }),
  })
  const onKeyWanted = supplyKeys({
    maker: options.keys?.maker ?? null,
    signingKeys: Promise.resolve(ports.signingKeys),
    onFault,
  })
  const connect = () => connectUnhurried(access)
  maintenance = maintain(options, { session, reader, writer, steady, onKeyWanted, onFault, connect })
  return {
    ...ports,
    madeBy,
    close: async () => {
      await ports.settle()
      await maintenance?.stop()
      close()
    },
  }
}
