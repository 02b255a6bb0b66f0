// How many may stay, as followers of the feed and streams of the console do: no owner takes the places or connections of others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRefused } from '../../src/domain/refusal.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { CONSOLE_STREAMS_MAX } from '../../src/http/console/console-streams.ts'
import { FOLLOWERS_MAX } from '../../src/http/oauth/feed/followers.ts'
import { makeConnectionCounts, makeConnectionLimit } from '../../src/http/wire/connections/connection-limit.ts'
import { makeStayLimit, type StayLimits } from '../../src/http/wire/streams/stay-limit.ts'

/** Lets as many of an owner stay as may, while `mayConnect`; returns how many. */
const makeFill = (limits: StayLimits, mayStay: (isOneOfFew: boolean) => boolean = () => true) => {
  const words = { full: '', ofOneFull: '', closing: '', counted: 'followers' } as const
  const { enter } = makeStayLimit({ limits, words, mayStay })
  return (owner: string, mayConnect: () => boolean = () => true): number => {
    let entered = 0
    while (mayConnect() && !isRefused(enter(owner))) entered += 1
    return entered
  }
}

test('owners that take all they may leave places to one with few', () => {
  for (const { all, ofOne, reserved, few } of [FOLLOWERS_MAX, CONSOLE_STREAMS_MAX]) {
    const fill = makeFill({ all, ofOne, reserved, few })
    const taken = Array.from({ length: Math.ceil((all - reserved) / ofOne) }, (_, n) => fill(`greedy ${n}`))
    assert.deepEqual([taken[0], taken.reduce((sum, each) => sum + each, 0)], [ofOne, all - reserved])
    assert.equal(fill('honest'), few)
  }
})

test('a key that keeps all connections that followers may keep leaves some to a key with few', () => {
  const own = makeConnectionCounts()
  const { enter: connect, mayStay } = makeConnectionLimit({
    max: 1000,
    perAddress: 1000,
    own,
    all: [own],
    slotsOf: () => [0, 0],
    isShared: () => true,
    report: () => undefined,
    timing: TIMING,
  })
  const fill = makeFill(FOLLOWERS_MAX, mayStay)
  const mayConnect = (): boolean => connect('192.0.2.1') !== null
  assert.equal(fill('greedy', mayConnect), 500)
  assert.ok(fill('honest', mayConnect) >= FOLLOWERS_MAX.few, 'a tenth more is for keys with few')
  assert.equal(mayStay(true), true)
})
