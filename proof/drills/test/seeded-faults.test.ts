// The defects that the replicas drill must find still fit the program.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { applyEdit, SEEDED_FAULTS, SOURCES } from '../cluster/seeded-faults.ts'

test('every seeded fault replaces a text that is there exactly once', () => {
  assert.equal(SEEDED_FAULTS.length, 6)
  for (const { name, edits } of SEEDED_FAULTS) {
    const texts = new Map<string, string>()
    for (const edit of edits) {
      const text = texts.get(edit.file) ?? readFileSync(join(SOURCES, edit.file), 'utf8')
      const edited = applyEdit(text, edit)
      assert.notEqual(edited, text, name)
      texts.set(edit.file, edited)
    }
  }
})

test('a seeded fault that no longer fits, or fits twice, is an error', () => {
  const edit = { file: 'some.ts', find: 'one', replace: 'two' }
  assert.equal(applyEdit('exactly one', edit), 'exactly two')
  assert.throws(() => applyEdit('none', { ...edit, find: 'only' }), /does not fit some\.ts/)
  assert.throws(() => applyEdit('one or one', edit), /exactly once/)
})
