// Serving threads, and the main thread that fetches keys for them: what goes on where that hangs, and what a thread that
// takes another's place is given.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import type { Worker } from 'node:worker_threads'
import type { KeySets } from '../../../src/ports/key-sets.ts'
import { serveHere } from '../../../../testkit/services/serve-here.ts'

const LIMIT = { timeout: 300_000 }

/** One serving thread; `between` stands between it and the keys. */
const startOne = async (t: TestContext, between: (keySets: KeySets) => KeySets) => {
  const timing = { keyRelayMs: 500, keyAskAgainMs: 50 }
  const { provider, workers, made, ask } = await serveHere(t, { timing, between })
  const { api_key: key = '' } = made('api-key', 'create', '--name', 'k', '--permission', 'tokens:read')
  const list = async (headers: Readonly<Record<string, string>>) => {
    const { status, headers: answered } = await ask('/api/v1/tokens', headers)
    return [status, answered['retry-after']]
  }
  const asOperator = async () => list({ authorization: `Bearer ${await provider.operatorJwt({ jti: randomUUID() })}` })
  const withKey = () => list({ 'x-api-key': key })
  return { provider, workers, asOperator, withKey }
}

test(
  'while the main thread answers nothing operators are 503, API keys are served, and both are once it does',
  LIMIT,
  async t => {
    let isSilent = true
    const silent = (keySets: KeySets): KeySets => ({
      latest: (...asked) => (isSilent ? new Promise(() => undefined) : keySets.latest(...asked)),
    })
    const { asOperator, withKey, provider } = await startOne(t, silent)
    const waiting = Promise.all(Array.from({ length: 200 }, asOperator))
    for (let n = 0; n < 20; n += 1) assert.deepEqual(await withKey(), [200, undefined])
    assert.deepEqual(new Set((await waiting).map(String)), new Set(['503,1']))
    isSilent = false
    // It is asked again once a moment has passed.
    let answered = await asOperator()
    for (; answered[0] === 503; answered = await asOperator()) await withKey()
    assert.deepEqual(answered, [200, undefined])
    assert.deepEqual(provider.fetches, { metadata: 1, jwks: 1 })
  },
)

test('a main thread that fails to read a key set lives on, and so does the thread that asked', LIMIT, async t => {
  let failures = 1
  const faulty = (keySets: KeySets): KeySets => ({
    latest: async (...asked) => {
      failures -= 1
      if (failures >= 0) throw new Error('a fault')
      return keySets.latest(...asked)
    },
  })
  const { asOperator, withKey } = await startOne(t, faulty)
  assert.deepEqual(await asOperator(), [503, '1'])
  assert.deepEqual(await withKey(), [200, undefined])
  let answered = await asOperator()
  for (; answered[0] === 503; answered = await asOperator()) await withKey()
  assert.deepEqual(answered, [200, undefined])
})

test('a thread that takes the place of another verifies with the keys that the main thread holds', LIMIT, async t => {
  const { asOperator, provider, workers } = await startOne(t, keySets => keySets)
  assert.deepEqual(await asOperator(), [200, undefined])
  const [first] = workers
  assert.ok(first)
  const replaced = once(process, 'worker')
  await first.terminate()
  const [second] = await replaced
  await once(second as Worker, 'online')
  let answered: readonly unknown[] = []
  while (answered[0] !== 200) answered = await asOperator().catch(() => [])
  assert.deepEqual(answered, [200, undefined])
  assert.deepEqual(provider.fetches, { metadata: 1, jwks: 1 })
})

test('a thread that is about to take the place of another ends with the rest', LIMIT, async t => {
  const { workers, close } = await serveHere(t, { timing: { threadRestartMs: 0 } })
  const before = workers.length
  void workers[0]?.terminate()
  while (workers.length === before) await once(process, 'worker')
  await close()
  assert.deepEqual(new Set(workers.map(({ threadId }) => threadId)), new Set([-1]))
})
