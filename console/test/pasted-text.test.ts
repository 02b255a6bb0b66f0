// What the search of the console takes a pasted text for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ODD_TEXTS } from '../../testkit/parsers/hostile-inputs.ts'
import { readSought } from '../src/reading/pasted-text.ts'

const TOKEN = `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`
const ID = '0198c2f0-7b1e-7000-8000-0123456789ab'
const SECRET = `mmc_${'A'.repeat(49)}`

test('a token is one with what it was copied with, and so is its id', () => {
  for (const around of ['TEXT', 'Bearer TEXT', 'Authorization: Bearer TEXT', '"TEXT"', " 'Bearer TEXT'\n"]) {
    assert.deepEqual(readSought(around.replace('TEXT', TOKEN)), { token: TOKEN }, around)
    const withId = around.replace('TEXT', ID.toUpperCase())
    assert.deepEqual(readSought(withId), { name: withId.trim(), tokenId: ID }, around)
  }
  assert.deepEqual(readSought(TOKEN.replaceAll('.', '.\n  ')), { token: TOKEN })
})

test('a text of three parts is a token, and one that is longer than any name cannot be anything else', () => {
  for (const text of [TOKEN, `  ${TOKEN}\n`, 'x'.repeat(101)])
    assert.deepEqual(readSought(text), { token: text.trim() })
})

test('a name is no token, and a secret is none either, nor are many words, nor two tokens', () => {
  for (const name of [
    '',
    'Bearer of news',
    'authorization',
    'agent "x"',
    'eyJ.a.b',
    'reports.of.sales',
    'x'.repeat(100),
  ]) {
    assert.deepEqual(readSought(name), { name, tokenId: undefined })
  }
  const several = `${TOKEN} ${TOKEN}x`
  for (const text of [SECRET, `Bearer ${SECRET}`, `X-API-Key: "${SECRET}"`, several, 'some words '.repeat(20)]) {
    assert.deepEqual(Object.keys(readSought(text)), ['notSent'], text)
  }
  const byChance = `eyJ${'a'.repeat(20)}.mmc_${'b'.repeat(20)}.${'c'.repeat(20)}`
  assert.deepEqual(readSought(`Bearer ${byChance}`), { token: byChance })
})

test('odd characters alone, before, behind and inside of a token, an id or a secret are answered', () => {
  for (const odd of Object.values(ODD_TEXTS)) {
    for (const text of [TOKEN, ID, SECRET, ''])
      for (const at of [0, 5, text.length])
        assert.ok(Object.keys(readSought(text.slice(0, at) + odd + text.slice(at))).length > 0)
  }
})
