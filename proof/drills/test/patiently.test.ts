// How the fuzzer gets what it needs for itself from a service that is busy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patiently } from '../fuzz/patiently.ts'

/** Answers with these statuses, one a call, and with 200 from then on. */
const makeService = (...statuses: readonly number[]) => {
  let asked = 0
  return {
    ask: async (): Promise<string> => {
      const status = statuses[asked] ?? 200
      asked += 1
      await Promise.resolve()
      assert.equal(status, 200, 'temporarily_unavailable')
      return 'done'
    },
    asked: () => asked,
  }
}

test('what is 503 is asked again, and any other status is an end', async () => {
  const [busy, wrong] = [makeService(503, 503), makeService(503, 500)]
  assert.equal(await patiently(busy.ask, 0), 'done')
  assert.equal(busy.asked(), 3)
  await assert.rejects(patiently(wrong.ask, 0), assert.AssertionError)
  assert.equal(wrong.asked(), 2)
})

test('a service that stays busy is given up after ten tries', async () => {
  const busy = makeService(...Array.from({ length: 20 }, () => 503))
  await assert.rejects(patiently(busy.ask, 0), assert.AssertionError)
  assert.equal(busy.asked(), 10)
})
