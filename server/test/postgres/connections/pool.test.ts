// Connections that pieces of work share: who gets one, in which order, and what becomes of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { NO_METRICS } from '../../../src/ports/metrics.ts'
import type { Connection } from '../../../src/store/postgres/connection/connection.ts'
import { makePool } from '../../../src/store/postgres/connection/pool.ts'

const LATE = 60_000

/** A pool of one connection, on a standing clock; how often one was opened. */
const makeWorld = (open: () => Promise<void> = () => Promise.resolve()) => {
  const opened: { isUsable: boolean }[] = []
  const pool = makePool({
    open: async () => {
      await open()
      const state = { isUsable: true }
      opened.push(state)
      return {
        isUsable: () => state.isUsable,
        keepsProcess: () => undefined,
        destroy: () => {
          state.isUsable = false
        },
      } as unknown as Connection // nothing is asked of it
    },
    connectionsMax: 1,
    monotonic: () => 0,
    name: 'hot',
    metrics: NO_METRICS,
  })
  return { pool, opened }
}

test('a connection that becomes free goes to the work that waits longest, whenever other work arrives', async () => {
  // In each of the microtasks between the end of the first and the beginning of the next one.
  for (let microtasks = 0; microtasks < 10; microtasks += 1) {
    const { pool } = makeWorld()
    const order: string[] = []
    const use = (name: string): Promise<void> => pool.use(async () => void order.push(name), LATE)
    const first = Promise.withResolvers<void>()
    const uses = [pool.use(() => first.promise, LATE), use('waits')]
    await new Promise(setImmediate)
    first.resolve()
    for (let n = 0; n < microtasks; n += 1) await Promise.resolve()
    uses.push(use('arrives'))
    await Promise.all(uses)
    assert.deepEqual(order, ['waits', 'arrives'], `after ${microtasks} microtasks`)
  }
})

test('work that fails, a connection that broke and one that cannot be opened leave room for the next', async () => {
  let fails = true
  const { pool, opened } = makeWorld(() => (fails ? Promise.reject(new Error('no way there')) : Promise.resolve()))
  const outcomes = await Promise.allSettled([
    pool.use(() => Promise.resolve(), LATE),
    pool.use(() => Promise.resolve(), LATE),
  ])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  fails = false
  const broken = pool.use(connection => {
    connection.destroy()
    return Promise.reject(new Error('broken'))
  }, LATE)
  const next = pool.use(() => Promise.resolve('done'), LATE)
  await assert.rejects(broken, /broken/)
  assert.equal(await next, 'done')
  assert.equal(await pool.use(() => Promise.resolve('again'), LATE), 'again')
  assert.equal(opened.length, 2)
})

test('what waits past its deadline, or when the pool is closed, is refused, and what is under way goes on', async () => {
  const { pool, opened } = makeWorld()
  const first = Promise.withResolvers<string>()
  const underWay = pool.use(() => first.promise, LATE)
  const [late, waiting] = [pool.use(() => Promise.resolve(), 0), pool.use(() => Promise.resolve(), LATE)]
  await assert.rejects(late, new Unavailable('No connection to the database was free in time.'))
  const closed = new Unavailable('The store is closed.')
  const refused = [assert.rejects(waiting, closed)]
  pool.close()
  refused.push(
    assert.rejects(
      pool.use(() => Promise.resolve(), LATE),
      closed,
    ),
  )
  await Promise.all(refused)
  first.resolve('done')
  assert.equal(await underWay, 'done')
  assert.deepEqual(opened, [{ isUsable: false }])
})
