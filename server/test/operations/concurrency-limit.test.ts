// The limit on requests under way: which are served, which are refused, and when that is reported.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withPermit } from '../../src/operations/group.ts'

const REFUSED = {
  refusal: {
    code: 'temporarily_unavailable',
    description: 'More requests of this kind are waiting than are taken: try again.',
    limit: 'token_requests',
  },
}

type Answer = { readonly answer: string }

/** A limit of two requests, which end when the test resolves them. */
const makeConcurrencyLimit = () => {
  const underWay: PromiseWithResolvers<Answer>[] = []
  let reported = 0
  const serve = (): Promise<Answer> => {
    const one = Promise.withResolvers<Answer>()
    underWay.push(one)
    return one.promise
  }
  const ask = withPermit(
    serve,
    () => 2,
    () => {
      reported += 1
    },
  )
  return { ask: () => ask(null), underWay, reported: () => reported }
}

test('as many requests as the limit allows are served; the next one is refused, and nothing is done for it', async () => {
  const { ask, underWay } = makeConcurrencyLimit()
  const served = [ask(), ask()]
  assert.deepEqual(await ask(), REFUSED)
  assert.equal(underWay.length, 2)
  underWay.forEach((one, n) => one.resolve({ answer: `answer ${n}` }))
  assert.deepEqual(await Promise.all(served), [{ answer: 'answer 0' }, { answer: 'answer 1' }])
})

test('a request that has ended makes room for another one, also if it ended in a fault', async () => {
  const { ask, underWay } = makeConcurrencyLimit()
  const [first, second] = [ask(), ask()]
  underWay[0]?.resolve({ answer: 'done' })
  await first
  const third = ask()
  assert.deepEqual([underWay.length, await ask()], [3, REFUSED])
  underWay[1]?.reject(new Error('the store is gone'))
  await assert.rejects(second, /the store is gone/)
  void ask()
  assert.deepEqual([underWay.length, await ask()], [4, REFUSED])
  underWay[2]?.resolve({ answer: 'done' })
  await third
})

test('that the limit is reached is reported once, and again only after all requests have ended', async () => {
  const { ask, underWay, reported } = makeConcurrencyLimit()
  const [first, second] = [ask(), ask()]
  await Promise.all([ask(), ask()])
  assert.equal(reported(), 1)
  underWay[0]?.resolve({ answer: 'done' })
  await first
  const third = ask()
  await ask()
  assert.equal(reported(), 1)
  underWay.forEach(one => one.resolve({ answer: 'done' }))
  await Promise.all([second, third])
  void ask()
  void ask()
  await ask()
  assert.equal(reported(), 2)
})
