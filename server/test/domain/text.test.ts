// Texts that a store can keep, and texts without characters around them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { digestIn, isStorable, trimCharacters } from '../../src/domain/text/text.ts'

test('a text is storable unless it has a NUL or half of a surrogate pair', () => {
  for (const text of ['', 'Ada', '\u{1F600}', '\u202E', '\uFFFD', '\u0001']) assert.equal(isStorable(text), true, text)
  for (const text of ['\0', 'a\0b', '\uD83D', 'a\uDE00', '\uDE00\uD83D', '\0\uD83D'])
    assert.equal(isStorable(text), false)
})

test('a digest is the first half of a hash', () => {
  assert.equal(digestIn(`${'0123456789abcdef'.repeat(2)}${'f'.repeat(32)}`), '0123456789abcdef'.repeat(2))
})

test('characters around a text are taken away, and none within it', () => {
  for (const [text, characters, trimmed] of [
    ['', ' ', ''],
    ['a', '', 'a'],
    [' a ', '', ' a '],
    [' a', ' ', 'a'],
    ['a ', ' ', 'a'],
    ['  a  b  ', ' ', 'a  b'],
    ['\t a\t', ' \t', 'a'],
    ['   ', ' ', ''],
    ['/a/', ' ', '/a/'],
    ['//', '/', ''],
  ] as const) {
    assert.equal(trimCharacters(text, characters), trimmed, JSON.stringify(text))
  }
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\t') }), text => {
      assert.equal(trimCharacters(text, ' \t'), text.replace(/^[ \t]+/, '').replace(/[ \t]+$/, ''))
    }),
  )
})
