// How many follow the revocation feed: one API key takes neither the places nor the connections of the others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRefused } from '../../src/domain/refusal.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { FOLLOWER_LIMITS, makeFollowerLimit } from '../../src/http/oauth/feed/follower-limit.ts'
import { makeConnectionCounts, makeConnectionLimit } from '../../src/http/wire/connections/connection-limit.ts'

test('two keys that take all they may leave places to a key with few followers', () => {
  const { enter } = makeFollowerLimit(FOLLOWER_LIMITS, () => true)
  const fill = (key: string): number => {
    let entered = 0
    while (!isRefused(enter(key))) entered += 1
    return entered
  }
  const taken = fill('greedy') + fill('greedy too')
  assert.equal(taken, FOLLOWER_LIMITS.all - FOLLOWER_LIMITS.reserved)
  assert.equal(fill('honest'), FOLLOWER_LIMITS.few)
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
  const { enter } = makeFollowerLimit(FOLLOWER_LIMITS, mayStay)
  const follow = (key: string): number => {
    let entered = 0
    while (connect('192.0.2.1') !== null && !isRefused(enter(key))) entered += 1
    return entered
  }
  assert.equal(follow('greedy'), 500)
  assert.ok(follow('honest') >= FOLLOWER_LIMITS.few, 'a tenth more is for keys with few')
  assert.equal(mayStay(true), true)
})
