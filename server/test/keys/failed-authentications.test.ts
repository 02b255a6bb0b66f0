// The counts of failed authentications: their limits, their decay, their constant memory, and threads that share them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import {
  type FailureLimits,
  type FailureMemory,
  makeFailedAuthentications,
  makeFailureMemory,
} from '../../src/keys/clients/failed-authentications.ts'
import { isThorough } from '../../../testkit/loads/thorough.ts'
import type { Source } from '../../src/domain/source.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const heapUsed = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** The largest limit that can be configured, or one that 16 bits cannot count. */
const MANY = isThorough ? 1_000_000 : 100_000
const SEED = new Uint8Array(32).fill(1)
const LIMITS: FailureLimits = { perClient: 5, perAddress: 20 }

const start = (limits: FailureLimits = LIMITS) => {
  let now = 1000
  const memory = makeFailureMemory(SEED)
  const failed = makeFailedAuthentications({ ...limits, memory, monotonic: () => now })
  const count = (clientId: string | undefined, source: Source = '192.0.2.1') => failed.count({ clientId, source })
  const times = (number: number, ...asked: Parameters<typeof count>) =>
    Array.from({ length: number }, () => count(...asked))
  return { memory, count, times, wait: (ms: number) => (now += ms) }
}

test('as many failures of a client from an address are within the limit as it says, and one more is not', () => {
  const { times, count } = start()
  assert.deepEqual(times(5, 'a'), Array(5).fill(null))
  assert.deepEqual(times(3, 'a'), [12, 12, 12])
  // Another client, and the same client from elsewhere.
  assert.equal(count('b'), null)
  assert.equal(count('a', '192.0.2.2'), null)
})

test('the limit decays evenly: once Retry-After has passed one failure is within it, after a minute all are', () => {
  const { times, wait } = start()
  times(5, 'a')
  wait(11_999)
  assert.deepEqual(times(1, 'a'), [1])
  wait(1)
  assert.deepEqual(times(2, 'a'), [null, 12])
  wait(60_000)
  assert.deepEqual(times(6, 'a'), [...Array(5).fill(null), 12])
})

test('an address has a limit of its own, whichever clients it names and also if it names none', () => {
  const { times, count, wait } = start()
  for (let n = 0; n < 19; n += 1) assert.equal(count(`client ${n}`), null)
  assert.deepEqual(times(2, undefined), [null, 3])
  assert.equal(count('another'), 3)
  assert.equal(count('another', '192.0.2.2'), null)
  wait(3000)
  // What was beyond the limit of the address was not counted for the client.
  assert.equal(count('another'), null)
})

test('addresses of one /64 share a limit', () => {
  const { count } = start()
  for (let n = 0; n < 20; n += 1) assert.equal(count(undefined, `2001:db8:0:1::${n}`), null)
  assert.equal(count(undefined, '2001:db8:0:1:ffff::1'), 3)
  assert.equal(count(undefined, '2001:db8:0:2::1'), null)
})

test('without limits, and for a connection that has gone, everything is within them', () => {
  const unlimited = start({ perClient: null, perAddress: null })
  assert.deepEqual(new Set(unlimited.times(1000, 'a')), new Set([null]))
  assert.deepEqual(new Set(start().times(1000, 'a', 'unknown')), new Set([null]))
  const perAddress = start({ perClient: null, perAddress: 3 })
  assert.deepEqual(perAddress.times(4, 'a'), [null, null, null, 20])
})

test('the longest Retry-After is that of the smallest limit', () => {
  assert.deepEqual(start({ perClient: 1, perAddress: 2 }).times(2, 'a'), [null, 60])
  const most = start({ perClient: MANY, perAddress: null })
  assert.deepEqual(new Set(most.times(MANY, 'a')), new Set([null]))
  assert.equal(most.count('a'), 1)
})

test('failures of very many clients from very many addresses take the memory of the first', () => {
  const { memory, count } = start()
  const sizeOf = ({ byClient, byAddress }: FailureMemory) => byClient.byteLength + byAddress.byteLength
  const [before, heapBefore] = [sizeOf(memory), heapUsed()]
  for (let n = 0; n < 200_000; n += 1)
    count(`client ${n}`.repeat(1 + (n % 50)), `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)
  assert.equal(sizeOf(memory), before)
  assert.ok(before <= 1_048_576)
  // 200,000 entries of a map would be 20 MB at least.
  assert.ok(heapUsed() - heapBefore < 4_000_000)
})

test('whatever is a client id, counting it throws nothing', () => {
  const { count } = start()
  for (const id of ['', '\0', '\uD800', '\uDFFF😀', 'x'.repeat(1_000_000)]) assert.equal(count(id), null)
})

const WORKER = `
const { workerData, parentPort } = require('node:worker_threads')
import(workerData.module).then(({ makeFailedAuthentications }) => {
  const failed = makeFailedAuthentications({ ...workerData.limits, memory: workerData.memory, monotonic: () => 1000 })
  let within = 0
  for (let n = 0; n < 2000; n += 1) if (failed.count({ clientId: 'a', source: '192.0.2.1' }) === null) within += 1
  parentPort.postMessage(within)
})`

test('of failures that threads count at the same time exactly as many are within the limit as it says', async () => {
  const memory = makeFailureMemory(SEED)
  const module = new URL('../../src/keys/clients/failed-authentications.ts', import.meta.url).href
  const given = { module, memory, limits: { perClient: 1000, perAddress: null } }
  const threads = Array.from({ length: 4 }, () => new Worker(WORKER, { eval: true, workerData: given }))
  const counted = await Promise.all(threads.map(async thread => Number((await once(thread, 'message'))[0])))
  assert.equal(
    counted.reduce((sum, one) => sum + one, 0),
    1000,
  )
  await Promise.all(threads.map(thread => thread.terminate()))
})
