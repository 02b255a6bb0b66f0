// What is committed of the administration is what its generator makes of the rows of api/.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathOf } from '../../../api/operation.ts'
import { OPERATIONS as ROWS } from '../../../api/operations.ts'
import { generate, readGenerated } from '../generate.ts'
import { OPERATIONS } from '../src/administration/generated/operations.ts'

test('the types and the table of operations are those of the rows: else run packages/client/generate.ts', () => {
  const [made, committed] = [generate(), readGenerated()]
  assert.deepEqual([...committed.keys()].toSorted(), [...made.keys()].toSorted())
  for (const [name, text] of made) assert.equal(committed.get(name), text, name)
})

test('the types of every subject are exported', () => {
  const text = readFileSync(join(import.meta.dirname, '../src/index.ts'), 'utf8')
  const exported = [...text.matchAll(/^export type \* from '\.\/administration\/generated\/([\w-]+\.ts)'$/gm)]
  const subjects = [...readGenerated().keys()].filter(name => name !== 'administration.ts' && name !== 'operations.ts')
  assert.deepEqual(exported.map(([, name = '']) => name).toSorted(), subjects.toSorted())
})

test('there is a method for every operation of the administration, and for no other', () => {
  const ids = ROWS.filter(row => pathOf(row).startsWith('/api/v1/')).map(({ id }) => id)
  assert.ok(ids.length > 30)
  assert.deepEqual(Object.keys(OPERATIONS).toSorted(), ids.toSorted())
})
