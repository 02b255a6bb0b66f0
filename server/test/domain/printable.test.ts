// Text for a terminal: nothing in it is obeyed or hidden, and as JSON it means what it meant.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../../testkit/parsers/hostile-inputs.ts'
import { printable, printableLines } from '../../src/domain/text/text.ts'

/** By the general categories of Unicode: controls, format characters, halves of pairs, separators of lines and paragraphs. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

const units = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map(unit => String.fromCharCode(unit)) })
const text = fc.oneof(units, fc.string({ unit: anyCodePoint }), fc.string({ unit: 'grapheme' }))

test('a character that a terminal obeys or hides is printed as its JSON escape', () => {
  const spelled: Readonly<Record<string, string>> = {
    'a\u001b[2J\u0007': 'a\\u001b[2J\\u0007',
    '\u009b31m\u0085\u007f': '\\u009b31m\\u0085\\u007f',
    'a\u202etxt.exe\u2066\u061c': 'a\\u202etxt.exe\\u2066\\u061c',
    'a\u200b\ufeff\u00ad\u{e0041}': 'a\\u200b\\ufeff\\u00ad\\udb40\\udc41',
    '\ud800a\udc00': '\\ud800a\\udc00',
    'a\r\nb\u2028': 'a\\u000d\\u000ab\\u2028',
    'ä日שע🙃e\u0301': 'ä日שע🙃e\u0301',
  }
  for (const [given, printed] of Object.entries(spelled)) assert.equal(printable(given), printed)
  assert.equal(printableLines('a\r\nb\u0000'), 'a\\u000d\nb\\u0000')
})

test('whatever the text, nothing is left that a terminal obeys, and JSON means what it meant', () => {
  fc.assert(
    fc.property(text, given => {
      assert.doesNotMatch(printable(given), UNPRINTABLE)
      assert.equal(JSON.parse(printable(JSON.stringify(given))), given)
    }),
    { numRuns: 1000 },
  )
})
