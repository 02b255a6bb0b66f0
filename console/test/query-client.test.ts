// What is asked for while the browser takes itself for offline.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { MutationObserver, onlineManager } from '@tanstack/react-query'
import { makeQueryClient } from '../src/reading/query-client.ts'

const beOffline = (t: TestContext): void => {
  onlineManager.setOnline(false)
  t.after(() => onlineManager.setOnline(true))
}

test('an act that is asked for while the browser is offline fails at once, and is not made when it is online again', async t => {
  beOffline(t)
  const client = makeQueryClient()
  client.mount()
  t.after(() => client.unmount())
  let made = 0
  const fail = async (): Promise<void> => {
    made += 1
    throw new TypeError('fetch failed')
  }
  const acting = new MutationObserver(client, { mutationFn: fail })
  const outcome = acting.mutate().catch(String)
  await setImmediate()
  assert.equal(acting.getCurrentResult().status, 'error')
  assert.equal(await outcome, 'TypeError: fetch failed')
  onlineManager.setOnline(true)
  await setImmediate()
  assert.equal(made, 1)
})

test('a service of this machine is read while the browser is offline', async t => {
  beOffline(t)
  const client = makeQueryClient()
  let read = 0
  void client.fetchQuery({ queryKey: ['any'], queryFn: () => (read += 1) })
  await setImmediate()
  assert.equal(read, 1)
})
