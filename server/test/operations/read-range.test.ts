// Ranges of the revocation feed that many ask for: read one at a time, once for all who want the same one, and in turns of
// those who ask.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Overloaded } from '../../src/domain/refusal.ts'
import { type FeedPorts, makeRangeReader, type RangeReader } from '../../src/operations/feed/read-range.ts'
import type { FeedPage, FeedRange } from '../../src/ports/revocation-feed.ts'

const WAITING_MAX = 256
const EPOCH = 'E'

type Read = { readonly from: number; readonly answer: () => void }

/** A feed each of whose pages waits for the test. */
const makeFeed = () => {
  const reads: Read[] = []
  const read = ({ from, to }: FeedRange): Promise<FeedPage> =>
    new Promise(resolve => {
      const head = { epoch: EPOCH, position: 1_000_000, now: 0 }
      const page = { epoch: EPOCH, from, to: to ?? from + 1, head, ended: new Map(), cutOffs: [], until: 0 }
      reads.push({ from, answer: () => resolve(page) })
    })
  const ports = {
    feed: { read },
    agents: { viewForIssue: async () => ({ signingKey: { publicJwk: { kid: 'k' } } }) },
    codec: { signRevocations: (documents: readonly object[]) => documents.map(one => JSON.stringify(one)) },
    profile: { issuer: 'https://issuer.example' },
  } as unknown as FeedPorts // what a range is read with
  return { ranges: makeRangeReader(ports), reads }
}

const ask = ({ read }: RangeReader, from: number, by: string) => read({ epoch: EPOCH, from, to: from + 1 }, by)

const passTurns = async (): Promise<void> => {
  for (let n = 0; n < 20; n += 1) await new Promise(setImmediate)
}

const outcomeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'read',
    fault => (fault instanceof Overloaded ? 'refused' : String(fault)),
  )

test('a caller that asks for more ranges than may wait delays another one by the range that is being read', async () => {
  const { ranges, reads } = makeFeed()
  const greedy = Array.from({ length: 2 * WAITING_MAX }, (_, n) => outcomeOf(ask(ranges, n, 'greedy')))
  await passTurns()
  const honest = outcomeOf(ask(ranges, 5000, 'honest'))
  await passTurns()
  assert.deepEqual(
    reads.map(({ from }) => from),
    [0],
  )
  for (let n = 0; n < 3; n += 1) {
    reads[n]?.answer()
    await passTurns()
  }
  // The turn of the greedy one was before, and then it is that of the other.
  assert.ok(
    reads.slice(0, 3).some(({ from }) => from === 5000),
    JSON.stringify(reads),
  )
  assert.equal(await honest, 'read')
  for (let n = 3; n < reads.length; n += 1) {
    reads[n]?.answer()
    await passTurns()
  }
  const outcomes = await Promise.all(greedy)
  assert.equal(outcomes.filter(one => one === 'refused').length, WAITING_MAX)
  assert.equal(outcomes.filter(one => one === 'read').length, WAITING_MAX)
})

test('a range that a greedy caller wants as its last is read in the turn of the other who wants it', async () => {
  const { ranges, reads } = makeFeed()
  const greedy = Array.from({ length: 100 }, (_, n) => ask(ranges, n, 'greedy'))
  await passTurns()
  const honest = ask(ranges, 99, 'honest')
  await passTurns()
  for (let n = 0; n < 3; n += 1) {
    reads[n]?.answer()
    await passTurns()
  }
  assert.ok(reads.slice(0, 3).some(({ from }) => from === 99))
  const document = await honest
  for (let n = 3; n < reads.length; n += 1) {
    reads[n]?.answer()
    await passTurns()
  }
  assert.equal((await Promise.all(greedy)).at(-1), document)
  assert.equal(reads.length, 100, 'each is read once')
})

test('any number of followers with one key who want the same range take one place', async () => {
  const { ranges, reads } = makeFeed()
  const first = ask(ranges, 0, 'fleet')
  await passTurns()
  const asked = Array.from({ length: 3 * WAITING_MAX }, () => ask(ranges, 1, 'fleet'))
  await passTurns()
  for (let n = 0; n < 2; n += 1) {
    reads[n]?.answer()
    await passTurns()
  }
  await first
  assert.equal(new Set(await Promise.all(asked)).size, 1)
})
