// The writing thread ended in the middle of its work: no caller gets a success, and another one takes over.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { Unavailable } from '../../src/domain/refusal.ts'
import { act, createAgent, issue, KEEP_LONG, makeTestStore, newTokens, START } from '../../../testkit/stores/store.ts'
import { countRows, openBeside, withFile } from '../../../testkit/stores/store-file.ts'

const REVOKE = act('token.revoke')

/** The next thread that this process starts. */
/** Another may be started beside it, as the one that watches the time of this file. */
const nextThread = (): Promise<Worker> =>
  new Promise(resolve => {
    const take = (thread: Worker): void => {
      if (thread.threadName !== 'mintmark writer') return
      process.off('worker', take)
      resolve(thread)
    }
    process.on('worker', take)
  })

const makeWorld = async (t: TestContext) => {
  const starting = nextThread()
  const world = await makeTestStore(null, START, 'thread')
  t.after(world.dispose)
  const agent = await createAgent(world.store)
  const [token] = await issue(world.store, agent, {})
  assert.ok(token)
  return { ...world, agent, token, thread: await starting }
}

/** The next thread, once it is at work. */
const successor = async (): Promise<Worker> => {
  const thread = await nextThread()
  await once(thread, 'message') // it says that it is ready
  await turn()
  return thread
}

/** Ends the thread as a crash would; gives a promise of its successor at work. */
const crash = (thread: Worker) => {
  const replaced = successor()
  return { ended: thread.terminate(), replaced }
}

const holdLock = (t: TestContext, file: string) => {
  const other = openBeside(file)
  t.after(() => other.close())
  other.exec('begin immediate')
  return () => other.exec('rollback')
}

test('calls that wait for a writing thread that ends are unavailable, and were not done', async t => {
  const { store, file, agent, token, thread } = await makeWorld(t)
  const release = holdLock(t, file)
  const raced = await newTokens(store, agent, [{}])
  const waiting = [
    store.ledger.end(token, 'manual_revocation', REVOKE),
    store.ledger.insert(raced),
    store.agents.disable(agent.id, act('agent.disable')),
    store.ledger.exclusively(ledger => ledger.insert(raced)),
  ]
  const settled = Promise.allSettled(waiting)
  const { ended, replaced } = crash(thread)
  for (const outcome of await settled) {
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof Unavailable)
    assert.match(outcome.reason.message, /writing thread ended|lock of the store was lost/, 'not for want of time')
  }
  await ended
  await assert.rejects(store.ledger.end(token, 'manual_revocation', REVOKE), Unavailable)
  await assert.rejects(
    store.ledger.exclusively(() => Promise.resolve()),
    Unavailable,
  )
  release()
  await replaced
  assert.deepEqual([countRows(file, 'token'), countRows(file, 'ended'), countRows(file, 'act')], [1, 0, 0])
})

test('after the writing thread ended another one takes over, time and again', async t => {
  const { store, agent, token, thread } = await makeWorld(t)
  let current = thread
  for (const _ of [1, 2, 3]) {
    const { ended, replaced } = crash(current)
    await ended
    current = await replaced
    await issue(store, agent, {})
    assert.equal(await store.health.check(), null)
  }
  assert.equal(await store.ledger.end(token, 'manual_revocation', REVOKE), 'ended')
})

test('look-ups go on while the writing thread is replaced', async t => {
  const { store, token, thread } = await makeWorld(t)
  const { ended, replaced } = crash(thread)
  await ended
  assert.deepEqual(
    (await store.ledger.find([token])).map(found => found?.dead),
    [false],
  )
  await replaced
})

test('a writing thread that ends under the lock lets go of it, and its holder writes nothing', async t => {
  const { store, file, agent, thread } = await makeWorld(t)
  const raced = await newTokens(store, agent, [{}])
  const crashed: ReturnType<typeof crash>[] = []
  await assert.rejects(
    store.ledger.exclusively(async ledger => {
      const one = crash(thread)
      crashed.push(one)
      await one.ended
      return ledger.insert(raced)
    }),
    Unavailable,
  )
  await crashed[0]?.replaced
  assert.equal(countRows(file, 'token'), 1)
  assert.deepEqual(await store.ledger.insert(raced), ['inserted'])
})

test('a store that is closed while its writing thread is replaced leaves no thread behind', async t => {
  const { store, thread } = await makeWorld(t)
  const { ended, replaced } = crash(thread)
  await ended
  const closing = store.close()
  const next = await replaced
  const exited = next.threadId === -1 ? undefined : once(next, 'exit')
  await closing
  await exited
  assert.equal(next.threadId, -1)
})

test('a fault of the maintenance ends no thread, and the backfill goes on once it can', async t => {
  const world = await makeTestStore(KEEP_LONG, START, 'thread')
  t.after(world.dispose)
  const { store, file } = world
  const threads: Worker[] = []
  const cache = (thread: Worker): void => void threads.push(thread)
  process.on('worker', cache)
  t.after(() => process.off('worker', cache))
  const agent = await createAgent(store)
  await issue(store, agent, ...Array.from({ length: 65 }, () => ({})))
  const broken = `create trigger broken before insert on ended begin select raise(abort, 'broken'); end`
  withFile(file, db => db.exec(broken))
  await store.agents.disable(agent.id, act('agent.disable'))
  const attempts = 100
  for (let n = 0; n < attempts; n += 1) assert.equal(await store.health.check(), null)
  assert.deepEqual([countRows(file, 'token'), countRows(file, 'ended')], [65, 0])
  withFile(file, db => db.exec('drop trigger broken'))
  while (countRows(file, 'ended') === 0) assert.equal(await store.health.check(), null)
  assert.deepEqual([countRows(file, 'token'), countRows(file, 'ended')], [0, 65])
  assert.deepEqual(threads, [])
})
