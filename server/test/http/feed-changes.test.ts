// The changes of the feed that a thread keeps for its streams: no longer than their signatures are good, and in bounded memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Change, makeRecentChanges } from '../../src/http/oauth/feed/changes.ts'

const change = (from: number, more: Partial<Change> = {}): Change => ({
  from,
  to: from + 1,
  text: `document ${from}`,
  kid: 'one',
  signedAt: from,
  ...more,
})

test('what an earlier key signed is given to nobody once another has signed', () => {
  const recent = makeRecentChanges()
  recent.add(change(0))
  recent.add(change(1, { kid: 'two' }))
  assert.deepEqual([recent.after(0), recent.eventsAfter(0)], [undefined, undefined])
  assert.equal(recent.after(1)?.text, 'document 1')
})

test('what was signed before a time is forgotten, and what was signed at that time or later is not', () => {
  const recent = makeRecentChanges()
  for (const from of [0, 1, 2]) recent.add(change(from))
  assert.notEqual(recent.eventsAfter(0), undefined)
  recent.forget(1)
  assert.equal(recent.eventsAfter(0), undefined)
  assert.equal(
    String(recent.eventsAfter(1)),
    'event: changes\ndata: document 1\n\nevent: changes\ndata: document 2\n\n',
  )
  recent.forget(3)
  assert.equal(recent.after(2), undefined)
})

test('followers at however many positions keep some MiB of events, and not some for each position', () => {
  const recent = makeRecentChanges()
  const text = 'x'.repeat(100_000)
  const positions = Array.from({ length: 40 }, (_, n) => n)
  for (const from of positions) recent.add(change(from, { text }))
  const given = new Map(positions.map(position => [position, recent.eventsAfter(position)]))
  const kept = positions.filter(position => recent.eventsAfter(position) === given.get(position))
  const bytes = kept.reduce((sum, position) => sum + (given.get(position)?.length ?? 0), 0)
  assert.ok(bytes <= 2 * 4_194_304, `${bytes} bytes`)
  assert.equal(String(recent.eventsAfter(38)).split('\n\n').length, 3)
})
