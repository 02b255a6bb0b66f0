// How tables fit a terminal of some width.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { layOutTable } from '../../../src/cli/terminal/table.ts'

const NAMES = ['id', 'scope', 'at']
const ROWS = [
  ['6f1d7c1e', 'db:read db:write mail:send', 'today'],
  ['7a', '-', 'yesterday'],
]

test('a table that fits stands as it is; one column less and cells fold between their words', () => {
  const whole = [
    'id        scope                       at',
    '6f1d7c1e  db:read db:write mail:send  today',
    '7a        -                           yesterday',
  ]
  assert.deepEqual(layOutTable(NAMES, ROWS, Number.POSITIVE_INFINITY), whole)
  assert.deepEqual(layOutTable(NAMES, ROWS, 47), whole)
  assert.deepEqual(layOutTable(NAMES, ROWS, 46), [
    'id        scope                      at',
    '6f1d7c1e  db:read db:write           today',
    '          mail:send',
    '7a        -                          yesterday',
  ])
  assert.deepEqual(layOutTable(NAMES, ROWS, 30), [
    'id        scope      at',
    '6f1d7c1e  db:read    today',
    '          db:write',
    '          mail:send',
    '7a        -          yesterday',
  ])
})

test('what takes two columns of a terminal, or none, stands in line with the rest', () => {
  const rows = [
    ['漢字', 'a', '1'],
    ['\u{1F916}', 'e\u0301', '2'],
  ]
  assert.deepEqual(layOutTable(['name', 'b', 'n'], rows, 12), ['name  b  n', '漢字  a  1', '\u{1F916}    e\u0301  2'])
})

test('where not even the words fit side by side, records stand one below another, whole', () => {
  assert.deepEqual(layOutTable(NAMES, ROWS, 29), [
    'id     6f1d7c1e',
    'scope  db:read db:write mail:send',
    'at     today',
    '',
    'id     7a',
    'scope  -',
    'at     yesterday',
  ])
  assert.deepEqual(layOutTable(NAMES, [], 3), ['id  scope  at'])
})

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 12 })
const cell = fc.array(word, { minLength: 1, maxLength: 5 }).map(words => words.join(' '))

test('no word is lost or broken at any width, and no line of a table is longer than the terminal is wide', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 150 }),
      (rows, width) => {
        const lines = layOutTable(NAMES, rows, width)
        const words = lines.flatMap(line => line.split(/ +/))
        for (const each of rows.flat().flatMap(text => text.split(' '))) assert.ok(words.includes(each), each)
        const isTable = /^id +scope +at$/.test(lines[0] ?? '')
        if (isTable) assert.ok(lines.every(line => line.length <= width))
      },
    ),
  )
})
