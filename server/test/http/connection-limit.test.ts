// Connections in all and from one address: what is within the bounds, who may use the reserve, and threads that end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Source } from '../../src/domain/source.ts'
import {
  CONNECTION_SLOTS,
  type ConnectionCounts,
  makeConnectionCounts,
  makeConnectionLimit,
} from '../../src/http/wire/connections/connection-limit.ts'
import { makeNetworks } from '../../../packages/gateway/src/process/networks.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { makeSlots } from '../../src/keys/clients/failed-authentications.ts'

const FEW_CONNECTIONS_MAX = 8

const slotsOf = makeSlots(new Uint8Array(32).fill(2), CONNECTION_SLOTS)

/** Threads that share their counts, with 100 connections in all, of which 10 are reserved, and 30 from one address. */
const start = (threads = 1) => {
  const reports: number[] = []
  const all: readonly ConnectionCounts[] = Array.from({ length: threads }, makeConnectionCounts)
  const limits = all.map(own =>
    makeConnectionLimit({
      max: 100,
      perAddress: 30,
      own,
      all,
      slotsOf,
      isShared: makeNetworks(['127.0.0.0/8', '10.0.0.0/8']),
      report: refused => reports.push(refused),
      timing: TIMING,
    }),
  )
  const open = (count: number, source: Source, thread = 0) =>
    Array.from({ length: count }, () => limits[thread]?.enter(source) ?? null).filter(leave => leave !== null)
  return { all, open, reports }
}

test('as many connections from an address are accepted as the bound says, and one more after one has ended', () => {
  const { open } = start()
  const opened = open(31, '192.0.2.1')
  assert.equal(opened.length, 30)
  assert.equal(open(1, '192.0.2.2').length, 1)
  opened[0]?.()
  assert.equal(open(2, '192.0.2.1').length, 1)
})

test('addresses of one /64 share the bound', () => {
  const { open } = start()
  const opened = Array.from({ length: 40 }, (_, n) => open(1, `2001:db8::${n}`)).flat()
  assert.equal(opened.length, 30)
  assert.equal(open(1, '2001:db8:0:1::1').length, 1)
})

test('proxies and this machine may have more, but leave the reserve to addresses with few', () => {
  const { open } = start()
  assert.equal(open(200, '127.0.0.1').length, 90)
  assert.equal(open(1, '10.0.0.1').length, 1, 'the first of another proxy is one of few')
  assert.equal(open(20, '192.0.2.1').length, FEW_CONNECTIONS_MAX)
  assert.equal(open(20, '192.0.2.2').length, 1, 'all is full')
  assert.equal(open(1, '192.0.2.3').length, 0)
})

test('what was refused counts for nothing', () => {
  const { all, open } = start()
  const opened = open(1000, '192.0.2.1')
  for (const leave of opened) leave()
  assert.ok(all.every(counts => counts.every(count => count === 0)))
})

test('threads share the bounds, and what a thread held is free once its counts are cleared', () => {
  const { all, open } = start(3)
  assert.deepEqual(
    [0, 1, 2].map(thread => open(12, '192.0.2.1', thread).length),
    [12, 12, 6],
  )
  all[1]?.fill(0)
  assert.equal(open(20, '192.0.2.1', 2).length, 12)
})

test('the log hears of refused connections at once, then of all others of each minute by their number', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { open, reports } = start()
  open(35, '192.0.2.1')
  assert.deepEqual(reports, [1])
  t.mock.timers.tick(60_000)
  assert.deepEqual(reports, [1, 4])
  t.mock.timers.tick(120_000)
  open(2, '192.0.2.1')
  assert.deepEqual(reports, [1, 4, 1])
})
