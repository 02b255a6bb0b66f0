// What a store on PostgreSQL measures of itself: its connections, its reads, and its waits for the synchronous standby.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { makeLayout } from '../../../src/metrics/layout.ts'
import { makeSlab, openRecorder } from '../../../src/metrics/memory.ts'
import { readMemory } from '../../../src/metrics/read-memory.ts'
import type { MetricName } from '../../../src/ports/metrics.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { makePool } from '../../../src/store/postgres/connection/pool.ts'
import type { Connection } from '../../../src/store/postgres/connection/connection.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { migratePostgresStore } from '../../../src/store/postgres/schema/migrate.ts'
import { until } from '../../../../testkit/processes/until.ts'
import { runStatement } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf } from '../../../../testkit/databases/postgres-store.ts'
import { startSynchronousPair } from '../../../../testkit/databases/synchronous-pair.ts'

const makeMemory = () => {
  const lists = { operations: [], codes: [], tasks: [] }
  const layout = makeLayout(lists)
  const slab = makeSlab(layout)
  /** The series with one of its labels, as its value or the number of its observations; undefined where it is not shown. */
  const read = (name: MetricName, label?: string): number | undefined => {
    const family = readMemory(layout, [slab]).find(one => one.name === name)
    const series = family?.series.find(({ labels }) => label === undefined || Object.values(labels).includes(label))
    return typeof series?.value === 'object' ? series.value.count : series?.value
  }
  return { metrics: openRecorder({ lists, slab }), read }
}

// A connection that does nothing: the pool is what is tested.
const idleConnection = {
  isUsable: () => true,
  keepsProcess: () => undefined,
  destroy: () => undefined,
} as unknown as Connection

test('a pool shows its connections, and what waits for one, until it is free', async () => {
  const { metrics, read } = makeMemory()
  const open = () => Promise.resolve(idleConnection)
  const pool = makePool({ open, connectionsMax: 1, monotonic: () => 0, name: 'hot', metrics })
  const late = 60_000
  const first = Promise.withResolvers<void>()
  const uses = [pool.use(() => first.promise, late), pool.use(() => Promise.resolve(), late)]
  await Promise.resolve()
  assert.equal(read('mintmark_postgres_connections_max'), 1)
  assert.equal(read('mintmark_postgres_connections', 'busy'), 1)
  assert.equal(read('mintmark_postgres_waiting'), 1)
  first.resolve()
  await Promise.all(uses)
  assert.equal(read('mintmark_postgres_connections', 'busy'), 0)
  assert.equal(read('mintmark_postgres_connections', 'idle'), 1)
  assert.equal(read('mintmark_postgres_waiting'), 0)
  assert.equal(read('mintmark_postgres_connection_wait_seconds'), 1)
})

const startStore = async (t: TestContext) => {
  const pair = await startSynchronousPair()
  t.after(pair.stop)
  await runStatement(pair.url('postgres'), 'create database watched')
  const address = await addressOf('watched', { hosts: [{ host: pair.host, port: pair.port }] })
  await migratePostgresStore({ address, timing: TIMING, madeBy: 'migrate', now: Date.now() })
  const { metrics, read } = makeMemory()
  const store = await openPostgresStore({ address, timing: TIMING, retention: null, serves: true, metrics })
  t.after(store.close)
  return { pair, store, read }
}

test('on Linux a read waits for the synchronous standby, and is measured once that goes on', async t => {
  // Elsewhere there is no /proc to find its processes by.
  if (process.platform !== 'linux') return
  const { pair, store, read } = await startStore(t)
  const { replication } = await store.facts()
  assert.equal(replication.standbys, 1)
  assert.equal(typeof replication.lagBytes, 'number')
  pair.pauseStandby()
  const reading = store.facts()
  const isWaiting = `select 1 as one from pg_stat_activity where wait_event = 'SyncRep'`
  await until('it waits for the standby', async () => (await runStatement(pair.url('postgres'), isWaiting)).length > 0)
  const waiting = read('mintmark_replication_wait_seconds', 'read') ?? 0
  assert.ok(waiting > 0)
  pair.resumeStandby()
  await reading
  assert.ok((read('mintmark_replication_wait_seconds', 'read') ?? 0) > waiting)
  assert.ok((read('mintmark_store_read_seconds', 'snapshot') ?? 0) >= 2)
})
