// What is said of chosen tokens while they end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiRefused, ApiUnavailable } from '../../packages/client/src/administration/api-errors.ts'
import { type Asked, askEach } from '../src/acts/ask-each.ts'
import { formatProgress, type Progress } from '../src/acts/progress.ts'
import { noteDate } from '../src/reading/service-clock.ts'

const GONE = new ApiRefused({ error: 'not_found', description: '', status: 404, requestId: undefined, id: undefined })
const LOST = new ApiUnavailable('it answers 503')

type Answers = Readonly<Record<string, Partial<Asked> | Error>>

/** Asks for each of them; `stop` is the last that is asked for. */
const askFor = async (answers: Answers, { earlier, stop }: { earlier?: Progress; stop?: string } = {}) => {
  const ending = new AbortController()
  const seen: string[] = []
  const progress = await askEach({
    ids: Object.keys(answers),
    ask: id => {
      if (id === stop) ending.abort()
      const answer = answers[id] ?? {}
      return answer instanceof Error
        ? Promise.reject(answer)
        : Promise.resolve({ at: null, isDoneNow: true, ...answer })
    },
    signal: ending.signal,
    onProgress: one => seen.push(formatProgress(one, 'ended')),
    earlier,
  })
  return { progress, seen, text: formatProgress(progress, 'ended', true) }
}

test('of a token whose end was not answered nothing is claimed', async () => {
  const { seen, text } = await askFor({ a: {}, b: new Error('no'), c: LOST, d: {} })
  assert.deepEqual(seen.slice(0, 3), ['0 of 4 ended', '1 of 4 ended', '1 of 4 ended, 1 not'])
  assert.equal(text, '2 of 4 ended, 1 not, of 1 it is not known')
})

test('what another act did, and what was not asked for, is not claimed either', async () => {
  const answers = { a: { isDoneNow: false }, b: new Error('no'), c: { at: '2026-11-29T20:00:00.000Z' }, d: {} }
  const { progress, text } = await askFor(answers, { stop: 'c' })
  assert.deepEqual(progress.left, ['b', 'd'])
  assert.equal(progress.since, '2026-11-29T20:00:00.000Z')
  assert.equal(text, '1 of 4 ended, 1 ended before this was asked for, 1 not, 1 not asked for')
})

test('a further try goes on from the earlier one: all are counted, and one that is gone is left no more', async () => {
  const [first, second] = ['2026-11-29T20:00:00.000Z', '2026-11-29T20:00:09.000Z']
  const { progress: earlier, text } = await askFor({ a: { at: first }, b: LOST, c: GONE, d: new Error('no') })
  assert.equal(text, '1 of 4 ended, 2 not, of 1 it is not known')
  assert.deepEqual(earlier.left, ['b', 'd'])
  const again = await askFor({ b: { at: first, isDoneNow: false }, d: { at: second } }, { earlier })
  assert.deepEqual(again.progress.left, [])
  assert.deepEqual([again.progress.since, again.progress.until], [first, second])
  assert.equal(again.text, '2 of 4 ended, 1 ended by now, by this act or another')
})

test('one of which nothing was heard, and that was so before this act began, is of another act', async () => {
  noteDate('Sun, 29 Nov 2026 21:00:00 GMT', Date.now(), Date.now())
  const [before, during, last] = ['2026-11-29T20:00:00.000Z', '2026-11-29T21:00:08.000Z', '2026-11-29T21:00:09.000Z']
  const { progress: earlier } = await askFor({ a: { at: last }, b: LOST, c: LOST })
  const answers = { b: { at: before, isDoneNow: false }, c: { at: during, isDoneNow: false } }
  const { progress, text } = await askFor(answers, { earlier })
  assert.deepEqual([progress.since, progress.until], [during, last])
  assert.equal(text, '1 of 3 ended, 1 ended by now, by this act or another, 1 ended before this was asked for')
})
