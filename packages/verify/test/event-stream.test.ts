// Server-sent events, however their text is cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { makeEventReader, type ServerEvent } from '../src/feed/event-stream.ts'

const read = (pieces: readonly string[], charactersMax = 1000): readonly ServerEvent[] => {
  const events: ServerEvent[] = []
  const take = makeEventReader(charactersMax, event => events.push(event))
  for (const piece of pieces) take(piece)
  return events
}

const STREAM =
  'event: changes\ndata: a.b.c\n\n: note\nid: 4\nevent: heartbeat\r\ndata: {"a":1}\r\n\r\ndata:x\rdata: y\r\revent: z\n\n'
const EVENTS = [
  { event: 'changes', data: 'a.b.c' },
  { event: 'heartbeat', data: '{"a":1}' },
  { event: 'message', data: 'x\ny' },
]

test('events have their names and data, whatever ends their lines', () => {
  assert.deepEqual(read([STREAM]), EVENTS)
})

test('it does not matter where the text is cut', () => {
  const cuts = fc.array(fc.integer({ min: 0, max: STREAM.length }), { maxLength: 12 })
  fc.assert(
    fc.property(cuts, places => {
      const sorted = [0, ...places.toSorted((a, b) => a - b), STREAM.length]
      assert.deepEqual(read(sorted.slice(1).map((end, n) => STREAM.slice(sorted[n], end))), EVENTS)
    }),
  )
})

test('an event as large as may be is read, and a larger one is not', () => {
  const data = `data:${'x'.repeat(95)}`
  assert.equal(read([data, '\n\n'], 100)[0]?.data.length, 95)
  assert.throws(() => read([`${data}x`, '\n\n'], 100), /more than 100 characters/)
  assert.throws(
    () =>
      read(
        Array.from({ length: 200 }, () => 'x'),
        100,
      ),
    /more than 100 characters/,
  )
  assert.throws(
    () =>
      read(
        Array.from({ length: 30 }, () => 'data:x\n'),
        100,
      ),
    /more than 100 characters/,
  )
})
