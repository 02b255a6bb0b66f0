// The note of an act that was not done yet: one place for all acts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftOf, keepDraft } from '../src/acts/draft.ts'

test('an empty note drops the draft of its own act, and leaves that of another', () => {
  keepDraft('stop', 'it runs away')
  keepDraft('create', '')
  assert.deepEqual([draftOf('stop'), draftOf('create')], ['it runs away', ''])
  keepDraft('stop', '')
  assert.equal(draftOf('stop'), '')
})
