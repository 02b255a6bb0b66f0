// The queue of signatures whose sender is not known yet: how many are taken, whose turn it is, and who is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import { makeVerificationQueue } from '../../src/keys/providers/verification-queue.ts'

/** A queue whose verifications end when the test says so. */
const makeWorld = (atOnceMax: number, waitingMax: number) => {
  const queue = makeVerificationQueue({ atOnceMax, waitingMax })
  const begun: { readonly name: string; readonly end: () => void; readonly fail: () => void }[] = []
  const outcomes = new Map<string, string>()
  const settled = (name: string, outcome: string) => () => void outcomes.set(name, outcome)
  const ask = (name: string, source: string): void => {
    const verify = (): Promise<boolean> =>
      new Promise((resolve, reject) => {
        begun.push({ name, end: () => resolve(true), fail: () => reject(new Error('a fault')) })
      })
    queue(source, verify).then(settled(name, 'verified'), (fault: unknown) =>
      outcomes.set(name, fault instanceof Unavailable ? 'refused' : 'failed'),
    )
  }
  const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
  /** Ends what is under way, one after another, until nothing is, and gives the order in which all began. */
  const endAll = async (): Promise<readonly string[]> => {
    for (let n = 0; n < begun.length; n += 1) {
      begun[n]?.end()
      await turn()
    }
    return begun.map(({ name }) => name)
  }
  const refused = (): readonly string[] =>
    [...outcomes].filter(([, outcome]) => outcome === 'refused').map(([name]) => name)
  return { ask, begun, endAll, outcomes, refused, turn }
}

test('so many verify at once and no more, however many there are', async () => {
  const { ask, begun, endAll, outcomes } = makeWorld(2, 10)
  for (const name of ['1', '2', '3', '4', '5']) ask(name, 'a')
  assert.deepEqual(
    begun.map(({ name }) => name),
    ['1', '2'],
  )
  assert.deepEqual(await endAll(), ['1', '2', '3', '4', '5'])
  assert.deepEqual(
    [...outcomes.values()],
    Array.from({ length: 5 }, () => 'verified'),
  )
})

test('one more than may wait is refused at once, and room that others leave is taken again', async () => {
  const { ask, begun, endAll, refused, turn } = makeWorld(1, 3)
  for (const name of ['under way', '1', '2', '3', 'too many']) ask(name, 'a')
  await turn()
  assert.deepEqual(refused(), ['too many'])
  begun[0]?.end()
  await turn()
  ask('later', 'a')
  assert.deepEqual(await endAll(), ['under way', '1', '2', '3', 'later'])
  assert.deepEqual(refused(), ['too many'])
})

test('a source with one has its turn after one of each other source, whatever they have sent before', async () => {
  const { ask, endAll } = makeWorld(1, 100)
  for (let n = 0; n < 20; n += 1) ask(`flood ${n}`, 'a')
  for (let n = 0; n < 3; n += 1) ask(`other ${n}`, 'b')
  ask('honest', 'c')
  assert.deepEqual((await endAll()).slice(0, 6), ['flood 0', 'flood 1', 'other 0', 'honest', 'flood 2', 'other 1'])
})

test('where no more may wait the source with the most gives up its last for one that has fewer', async () => {
  const { ask, endAll, refused, turn } = makeWorld(1, 4)
  for (const name of ['under way', 'a1', 'a2', 'a3', 'a4']) ask(name, 'a')
  ask('b1', 'b')
  ask('c1', 'c')
  await turn()
  assert.deepEqual(refused(), ['a4', 'a3'])
  // The two that a has are not more than one beyond what any other would have then.
  ask('b2', 'b')
  ask('a5', 'a')
  ask('d1', 'd')
  await turn()
  assert.deepEqual(refused(), ['a4', 'a3', 'b2', 'a5', 'a2'])
  assert.deepEqual(await endAll(), ['under way', 'a1', 'b1', 'c1', 'd1'])
})

test('sources by the hundred, one each, keep one another out no longer than the queue is', async () => {
  const { ask, endAll, refused, turn } = makeWorld(1, 3)
  for (let n = 0; n < 6; n += 1) ask(String(n), `source ${n}`)
  await turn()
  assert.deepEqual(refused(), ['4', '5'])
  assert.deepEqual(await endAll(), ['0', '1', '2', '3'])
})

test('addresses of one IPv6 network are one source, however many of them one caller uses', async () => {
  const { ask, endAll, refused, turn } = makeWorld(1, 3)
  for (let n = 0; n < 4; n += 1) ask(`flood ${n}`, `2001:db8:0:1::${n}`)
  ask('honest', '2001:db8:0:2::1')
  await turn()
  assert.deepEqual(refused(), ['flood 3'])
  assert.deepEqual(await endAll(), ['flood 0', 'flood 1', 'honest', 'flood 2'])
})

test('a fault is the fault of its own request and leaves its place to the next', async () => {
  const { ask, begun, endAll, outcomes, turn } = makeWorld(1, 10)
  for (const name of ['1', '2']) ask(name, 'a')
  begun[0]?.fail()
  await turn()
  await endAll()
  assert.deepEqual(Object.fromEntries(outcomes), { '1': 'failed', '2': 'verified' })
})
