// What a reset of the clock does to sessions of the console: those that began by another clock would have no end.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { act, makeTestStore, resetTestedClock, START } from '../../../../testkit/stores/store.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'

test('a reset of the clock ends all sessions', async t => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  const { store, file } = world
  const operator = { iss: 'https://idp.example', sub: 'ada', name: null }
  const secretHash = randomBytes(32).toString('hex')
  const sealed = { sealedTokens: randomBytes(40), expiresAt: START }
  await store.sessions.create({ id: randomUUID(), secretHash, ...operator, ...sealed }, act('session.create'))
  assert.equal(countRows(file, 'session'), 1)
  await store.close()
  world.clock.advance(-864_000_000)
  await resetTestedClock(world, act('clock.reset'))
  assert.equal(countRows(file, 'session'), 0)
})
