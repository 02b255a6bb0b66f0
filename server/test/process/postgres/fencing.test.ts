// Look-ups and revocations on a primary with a synchronous standby that stops and goes on.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { TIMING } from '../../../src/ports/timing.ts'
import type { DatabaseAddress } from '../../../src/store/postgres/connection/address.ts'
import { makeDatabaseClock } from '../../../src/store/postgres/connection/clock.ts'
import { connect } from '../../../src/store/postgres/connection/connection.ts'
import { readMoment } from '../../../src/store/postgres/hot/batched-lookup.ts'
import { migratePostgresStore } from '../../../src/store/postgres/schema/migrate.ts'
import { makeManualClock } from '../../../../testkit/stores/manual-clock.ts'
import { runStatement } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, openStoresThrough } from '../../../../testkit/databases/postgres-store.ts'
import { assertError, introspect, issue, revoke } from '../../../../testkit/callers/requests.ts'
import { startSynchronousPair, type SynchronousPair } from '../../../../testkit/databases/synchronous-pair.ts'
import { IN_TIME, startServer } from '../../../../testkit/services/test-server.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const DATABASE = 'fenced'
const UNAVAILABLE = 'The service cannot answer for certain right now: try again.'

/** A service on the primary, whose store is there already. */
const startOn = async (t: TestContext, pair: SynchronousPair, fencedReads: DatabaseAddress['fencedReads']) => {
  openStoresThrough({ hosts: [{ host: pair.host, port: pair.port }], fencedReads })
  t.after(() => openStoresThrough({}))
  const place = { file: pair.url(DATABASE), clock: makeManualClock(Date.now()), remove: () => Promise.resolve() }
  const service = await startServer({ place, timing: IN_TIME })
  t.after(service.close)
  const agent = await service.createAgent({ name: `reads fenced ${fencedReads}` })
  const { key } = await service.createApiKey('tokens:introspect')
  return { service, agent, key }
}

const WAITING = `select count(*)::integer as count from pg_stat_activity where wait_event = 'SyncRep'`

const untilWaiting = async (pair: SynchronousPair, least: number): Promise<void> => {
  while (Number((await runStatement(pair.url('postgres'), WAITING))[0]?.['count']) < least) await delay(20)
}

test('on Linux a standby that does not acknowledge: look-ups and revocations are 503, and true once it goes on', async t => {
  // Elsewhere there is no /proc to find its processes by.
  if (process.platform !== 'linux') return
  const pair = await startSynchronousPair()
  t.after(pair.stop)
  await runStatement(pair.url('postgres'), `create database ${DATABASE}`)
  const address = await addressOf(DATABASE, { hosts: [{ host: pair.host, port: pair.port }] })
  await migratePostgresStore({ address, timing: TIMING, madeBy: 'migrate', now: Date.now() })
  const unfenced = await startOn(t, pair, 'off')
  const { service, agent, key } = await startOn(t, pair, 'auto')
  const other = await issue(unfenced.service, unfenced.agent)
  const [kept, ended] = [await issue(service, agent), await issue(service, agent)]
  assert.match((await introspect(service, key, kept)).text, /^\{"active":true,/)

  pair.pauseStandby()
  const [introspected, revoked, reported] = await Promise.all([
    introspect(service, key, kept),
    revoke(service, ended),
    introspect(unfenced.service, unfenced.key, other),
  ])
  assertError(introspected, 503, 'temporarily_unavailable', UNAVAILABLE)
  assertError(revoked, 503, 'temporarily_unavailable', UNAVAILABLE)
  assert.match(reported.text, /^\{"active":true,/)

  // The first is done here, and nobody knows whether it stays: who asks again waits as the first did.
  let isAnswered = false
  const again = revoke(service, ended).finally(() => {
    isAnswered = true
  })
  const look = introspect(service, key, kept)
  await untilWaiting(pair, 2)
  assert.equal(isAnswered, false)
  pair.resumeStandby()
  assert.equal((await again).status, 200)
  assert.match((await look).text, /^\{"active":true,/)
  assert.equal((await introspect(service, key, ended)).text, '{"active":false}')
})

test('on Linux a look-up that a standby answers is unavailable, whatever it says', async t => {
  if (process.platform !== 'linux') return
  const pair = await startSynchronousPair()
  t.after(pair.stop)
  await runStatement(pair.url('postgres'), `create database ${DATABASE}`)
  const address = await addressOf(DATABASE, { hosts: [{ host: pair.host, port: pair.port }] })
  await migratePostgresStore({ address, timing: TIMING, madeBy: 'migrate', now: Date.now() })
  await pair.untilReplayed()
  const clock = makeDatabaseClock(Date.now(), () => performance.now())
  const [primary, standby] = await Promise.all(
    [pair.host, pair.standbyHost].map(host => connect({ address, timing: TIMING }, { host, port: pair.port })),
  )
  assert.ok(primary && standby)
  try {
    assert.ok((await readMoment(primary, { clock })).service.seq > 0)
    await assert.rejects(readMoment(standby, { clock }), /^Unavailable: The database has become a standby\.$/)
  } finally {
    await Promise.all([primary.close(), standby.close()])
  }
})
