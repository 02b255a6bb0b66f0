// Records drawn as a tree.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawTree } from '../../../src/cli/terminal/tree.ts'

const record = (id: string, parent: string | null) => ({ id, parent_id: parent })

const drawn = (...records: readonly ReturnType<typeof record>[]): readonly unknown[] =>
  drawTree(records).map(({ id }) => id)

test('each record stands under its parent, in the order given', () => {
  const records = [
    record('r', null),
    record('a', 'r'),
    record('b', 'r'),
    record('c', 'a'),
    record('d', 'b'),
    record('e', 'a'),
  ]
  assert.deepEqual(drawn(...records), ['r', '├─ a', '│  ├─ c', '│  └─ e', '└─ b', '   └─ d'])
})

test('a record whose parent is on another page stands at the left', () => {
  assert.deepEqual(drawn(record('x', 'gone'), record('y', 'x'), record('z', 'other')), ['x', '└─ y', 'z'])
  assert.deepEqual(drawn(), [])
})
