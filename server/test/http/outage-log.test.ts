// How an outage is logged.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import { makeOutageLog } from '../../src/http/wire/outage-log.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { askToken } from '../../../testkit/callers/requests.ts'
import { startServer } from '../../../testkit/services/test-server.ts'

const AWAY = new Unavailable('The database is away.')
const SLOW = new Unavailable('The database is slow.')

const makeLog = (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let now = 1000
  const lines: (readonly [string, object])[] = []
  const reported: string[] = []
  const warn = (fields: object, message: string): void => void lines.push([message, fields])
  const debug = (fields: object): void => void reported.push((fields as { requestId: string }).requestId)
  const log = makeOutageLog({ logger: { warn, debug }, monotonic: () => now, timing: TIMING })
  const pass = (ms: number): void => {
    now += ms
    t.mock.timers.tick(ms)
  }
  return { log, pass, reported, take: () => lines.splice(0) }
}

test('an outage is one line at its beginning, a counted one every ten seconds, and one at its end', t => {
  const { log, pass, reported, take } = makeLog(t)
  log.report('a', AWAY)
  assert.deepEqual(take(), [['unavailable', { requestId: 'a', reason: AWAY.message }]])
  pass(4000)
  for (const id of ['b', 'c']) log.report(id, AWAY)
  log.report('d', SLOW)
  assert.deepEqual(take(), [])
  assert.deepEqual(reported, ['b', 'c', 'd'])
  pass(6000)
  const reasons = [
    { reason: AWAY.message, requests: 2 },
    { reason: SLOW.message, requests: 1 },
  ]
  assert.deepEqual(take(), [['still unavailable', { requests: 4, seconds: 4, reasons }]])
  pass(2500)
  log.report('e', SLOW)
  pass(7500)
  const since = [{ reason: SLOW.message, requests: 1 }]
  assert.deepEqual(take(), [['still unavailable', { requests: 5, seconds: 12.5, reasons: since }]])
  pass(10_000)
  assert.deepEqual(take(), [['unavailable no more', { requests: 5, seconds: 12.5 }]])
  pass(60_000)
  assert.deepEqual(take(), [])
})

test('the next outage begins anew, and what a process that ends has not logged it logs then', t => {
  const { log, pass, take } = makeLog(t)
  log.report('a', AWAY)
  pass(10_000)
  take()
  log.report('b', SLOW)
  pass(3000)
  log.report('c', SLOW)
  log.close()
  log.close()
  assert.deepEqual(take(), [
    ['unavailable', { requestId: 'b', reason: SLOW.message }],
    ['unavailable no more', { requests: 2, seconds: 3 }],
  ])
  pass(20_000)
  assert.deepEqual(take(), [])
})

test('of many reasons eight are named, and the rest is counted together', t => {
  const { log, pass, take } = makeLog(t)
  for (let n = 0; n <= 20; n += 1) log.report(`r${n}`, new Unavailable(`Reason ${n}.`))
  pass(10_000)
  const [, counted = ['', {}]] = take()
  const { reasons } = counted[1] as { reasons: readonly { reason: string; requests: number }[] }
  assert.equal(reasons.length, 9)
  assert.deepEqual(reasons.at(-1), { reason: 'others', requests: 12 })
})

test('a hundred requests that the store does not answer leave one line, without a stack', async () => {
  const service = await startServer({
    break: ports => ({
      ...ports,
      agents: { ...ports.agents, viewForIssue: () => Promise.reject(new Unavailable('The store did not answer.')) },
    }),
  })
  const agent = await service.createAgent()
  for (let n = 0; n < 100; n += 1) assert.equal((await askToken(service, agent)).status, 503)
  await service.close()
  const warned = service.log().match(/\{"level":40.*\}/g) ?? []
  assert.equal(warned.length, 2)
  assert.match(warned[0] ?? '', /"requestId":"[^"]+","reason":"The store did not answer\.","msg":"unavailable"/)
  assert.match(warned[1] ?? '', /"requests":100,"seconds":[\d.]+,"msg":"unavailable no more"/)
  assert.doesNotMatch(service.log(), /"stack"/)
})
