// The note of an act that was not done yet: one place for all acts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftOf, keepDraft } from '../src/acts/draft.ts'

// Node has had one since 25; older ones have none, where a browser always does.
const kept = new Map<string, string>()
globalThis.sessionStorage ??= {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
} as Storage

test('an empty note drops the draft of its own act, and leaves that of another', () => {
  keepDraft('stop', 'it runs away')
  keepDraft('create', '')
  assert.deepEqual([draftOf('stop'), draftOf('create')], ['it runs away', ''])
  keepDraft('stop', '')
  assert.equal(draftOf('stop'), '')
})
