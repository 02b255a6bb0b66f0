// The revocation feed across the promotion of a real standby: an open follower starts over, in another epoch, and misses nothing.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { TIMING } from '../../../src/ports/timing.ts'
import { migratePostgresStore } from '../../../src/store/postgres/schema/migrate.ts'
import { makeManualClock } from '../../../../testkit/stores/manual-clock.ts'
import { assertError, issue, revoke } from '../../../../testkit/callers/requests.ts'
import { runStatement } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, openStoresThrough } from '../../../../testkit/databases/postgres-store.ts'
import { startPair } from '../../../../testkit/databases/synchronous-pair.ts'
import {
  ask,
  nextOf,
  openStream,
  payloadOf,
  readDocument,
  readHead,
  type SnapshotPayload,
  tailOf,
  tailsIn,
} from '../../../../testkit/feed/feed-client.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const DATABASE = 'followed'
const POLL_MS = 50
const TRIES_MAX = 600
const OTHER_EPOCH = 'The feed has another epoch: begin with the snapshot.'

/** A service that knows both servers, and a primary whose commits wait for the standby, or do not. */
const start = async (t: TestContext, commits: 'wait' | 'go on') => {
  const pair = await startPair(commits)
  t.after(pair.stop)
  await runStatement(pair.url('postgres'), `create database ${DATABASE}`)
  const hosts = [pair.host, pair.standbyHost].map(host => ({ host, port: pair.port }))
  const address = await addressOf(DATABASE, { hosts })
  await migratePostgresStore({ address, timing: TIMING, madeBy: 'migrate', now: Date.now() })
  openStoresThrough({ hosts })
  t.after(() => openStoresThrough({}))
  const place = { file: pair.url(DATABASE), clock: makeManualClock(Date.now()), remove: () => Promise.resolve() }
  const service = await startServer({ place })
  t.after(service.close)
  const agent = await service.createAgent()
  const { key } = await service.createApiKey('tokens:introspect')
  return { pair, service, agent, key }
}

/** While the new primary is looked for the answer is 503. */
const untilServed = async (service: TestServer, key: string) => {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const answer = await ask(service, key)
    if (answer.status === 200) return
    assert.equal(answer.status, 503, answer.text)
    await delay(POLL_MS)
  }
  assert.fail('The new primary was not found.')
}

const tailOfToken = (token: string): string => tailOf((payloadOf(token) as unknown as { readonly jti: string }).jti)

/** The tails of all tokens that a follower knows which begins with the snapshot. */
const readAll = async (service: TestServer, key: string, epoch: string): Promise<readonly string[]> => {
  const { segments } = await readDocument<SnapshotPayload>(service, key, `/snapshot?epoch=${epoch}`)
  const read = segments.map(([from, to]) => readDocument(service, key, `/segments/${epoch}/${from}-${to}`))
  return (await Promise.all(read)).flatMap(tailsIn)
}

test('on Linux a follower whose database fails over starts over in another epoch, where every acknowledged end is', async t => {
  // Elsewhere there is no /proc to find the servers by.
  if (process.platform !== 'linux') return
  const { pair, service, agent, key } = await start(t, 'wait')
  const tokens = [await issue(service, agent), await issue(service, agent)]
  const before = await readHead(service, key)
  const stream = await openStream(service, key, { query: `epoch=${before.epoch}&position=${before.position}` })
  for (const token of tokens) assert.equal((await revoke(service, token)).status, 200)
  let position = before.position
  const heard: string[] = []
  while (heard.length < tokens.length) {
    const changes = payloadOf(await nextOf(stream, 'changes'))
    heard.push(...tailsIn(changes))
    position = changes.to
  }

  await pair.failOver()
  await nextOf(stream, 'epoch_changed')
  await untilServed(service, key)
  const after = await readHead(service, key)
  assert.notEqual(after.epoch, before.epoch)
  assert.ok(after.position >= position, 'A synchronous standby has lost a position.')
  assert.ok(after.now >= before.now)
  const standing = `epoch=${before.epoch}&position=${position}`
  assertError(await ask(service, key, `/changes?${standing}`), 409, 'epoch_changed', OTHER_EPOCH)
  assertError(await ask(service, key, `/snapshot?epoch=${before.epoch}`), 409, 'epoch_changed', OTHER_EPOCH)
  const known = await readAll(service, key, after.epoch)
  assert.deepEqual(
    tokens.map(tailOfToken).filter(tail => !known.includes(tail)),
    [],
  )
  assert.equal(await stream.ended, 'ended')
})

test('on Linux a follower that knows what an asynchronous standby never had starts over: its position would mean something else', async t => {
  if (process.platform !== 'linux') return
  const { pair, service, agent, key } = await start(t, 'go on')
  const [first, lost, other] = [await issue(service, agent), await issue(service, agent), await issue(service, agent)]
  assert.equal((await revoke(service, first)).status, 200)
  const before = await readHead(service, key)
  await pair.untilReplayed()
  pair.pauseStandby()
  // What was on its way already would still arrive.
  await runStatement(pair.url('postgres'), 'select pg_terminate_backend(pid) from pg_stat_replication')
  assert.equal((await revoke(service, lost)).status, 200)
  const { position } = await readHead(service, key)
  assert.equal(position, before.position + 1)
  await pair.failOver()
  await untilServed(service, key)
  const after = await readHead(service, key)
  assert.equal(after.position, before.position, 'The standby has what it should not have.')
  // The position that the follower knows is now of another end.
  assert.equal((await revoke(service, other)).status, 200)
  const standing = `epoch=${before.epoch}&position=${position}`
  assertError(await ask(service, key, `/changes?${standing}`), 409, 'epoch_changed', OTHER_EPOCH)
  const known = await readAll(service, key, after.epoch)
  assert.deepEqual(new Set(known), new Set([first, other].map(tailOfToken)))
  assert.ok(!known.includes(tailOfToken(lost)))
})
