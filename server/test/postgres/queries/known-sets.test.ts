// Which numbers of scopes are remembered, and until when, over a database that is played.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS } from '../../../../api/values/time.ts'
import type { Connection } from '../../../src/store/postgres/connection/connection.ts'
import { makeFailOvers } from '../../../src/store/postgres/connection/fail-overs.ts'
import { makeKnownSets } from '../../../src/store/postgres/hot/insert-plain.ts'

const CONNECTION: Connection = {
  ask: () => Promise.reject(new Error('All is asked through the driver.')),
  notices: () => 0,
  isUsable: () => true,
  keepsProcess: () => undefined,
  destroy: () => undefined,
  close: () => Promise.resolve(),
}

/** A database whose scopes have these numbers, whose standby acknowledges or not. */
const makeWorld = () => {
  const world = { now: 0, isAcknowledged: true, numbers: new Map([['db:read', 1]]), day: 0, asked: 0 }
  const failOvers = makeFailOvers()
  const numbersOf = makeKnownSets({
    runner: {
      ask: (_connection, _text, scope) => {
        world.asked += 1
        const n = world.numbers.get(String(scope))
        const rows = n === undefined ? [] : [{ n, day: world.day }]
        return Promise.resolve({ rows, changes: rows.length, command: 'SELECT' })
      },
    },
    transactions: {
      read: async (_connection, work) => {
        const value = await work()
        if (!world.isAcknowledged) throw new Error('The standby is silent.')
        return value
      },
    },
    clock: { now: () => world.now },
    onFailOver: failOvers.onFailOver,
  })
  return { world, failOvers, ask: (...scopes: readonly string[]) => numbersOf(CONNECTION, 'scope', scopes) }
}

test('a number is asked for once, each text once, and a text without one again', async () => {
  const { world, ask } = makeWorld()
  assert.deepEqual(await ask('db:read', 'db:read', 'db:write'), [1, 1, undefined])
  assert.equal(world.asked, 2)
  assert.deepEqual(await ask('db:read', 'db:write'), [1, undefined])
  assert.equal(world.asked, 3)
})

test('a number that the standby has not acknowledged is neither used nor remembered', async () => {
  const { world, ask } = makeWorld()
  world.isAcknowledged = false
  world.numbers.set('db:read', 9)
  await assert.rejects(ask('db:read'), /silent/)
  world.isAcknowledged = true
  world.numbers.set('db:read', 2)
  assert.deepEqual(await ask('db:read'), [2])
})

test('a number counts for the day on which its use was noted', async () => {
  const { world, ask } = makeWorld()
  assert.deepEqual(await ask('db:read'), [1])
  world.now = DAY_MS
  assert.deepEqual(await ask('db:read'), [undefined])
  world.day = 1
  assert.deepEqual(await ask('db:read'), [1])
})

test('numbers are forgotten at a fail-over', async () => {
  const { world, failOvers, ask } = makeWorld()
  failOvers.connected('00000001')
  assert.deepEqual(await ask('db:read'), [1])
  world.numbers.set('db:read', 2)
  assert.deepEqual(await ask('db:read'), [1])
  failOvers.connected('00000002')
  assert.deepEqual(await ask('db:read'), [2])
})
