// The defects that the replicas drill must find still fit the program.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { applyEdit, SEEDED_FAULTS, SOURCES } from '../cluster/plants.ts'

test('every plant changes what is there, exactly once', () => {
  assert.equal(SEEDED_FAULTS.length, 6)
  for (const { name, edits } of SEEDED_FAULTS) {
    const texts = new Map<string, string>()
    for (const edit of edits) {
      const text = texts.get(edit.file) ?? readFileSync(join(SOURCES, edit.file), 'utf8')
      const planted = applyEdit(text, edit)
      assert.notEqual(planted, text, name)
      texts.set(edit.file, planted)
    }
  }
})

test('a plant that does not fit any more says so, and so does one that fits twice', () => {
  const edit = { file: 'some.ts', find: 'one', replace: 'two' }
  assert.equal(applyEdit('exactly one', edit), 'exactly two')
  assert.throws(() => applyEdit('none', { ...edit, find: 'only' }), /does not fit some\.ts/)
  assert.throws(() => applyEdit('one or one', edit), /exactly once/)
})
