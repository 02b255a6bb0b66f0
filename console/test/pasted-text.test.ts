// What the search of the console takes a pasted text for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSecretText } from '../../api/values/pasted-token.ts'
import { isTokenText, readTokenId } from '../src/search/pasted-text.ts'

const TOKEN = `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`
const ID = '0198c2f0-7b1e-7000-8000-0123456789ab'
const SECRET = `mmc_${'A'.repeat(49)}`

test('a token is one with what it was copied with, and so is its id', () => {
  for (const around of ['TEXT', 'Bearer TEXT', 'Authorization: Bearer TEXT', '"TEXT"', " 'Bearer TEXT'\n"]) {
    assert.equal(isTokenText(around.replace('TEXT', TOKEN)), true, around)
    assert.equal(isSecretText(around.replace('TEXT', TOKEN)), false, around)
    assert.equal(readTokenId(around.replace('TEXT', ID.toUpperCase())), ID, around)
  }
  assert.equal(isTokenText(TOKEN.replaceAll('.', '.\n  ')), true)
})

test('a name is no token, and a secret is none either', () => {
  for (const name of ['Bearer of news', 'authorization', 'agent "x"']) {
    assert.deepEqual([isTokenText(name), isSecretText(name), readTokenId(name)], [false, false, undefined], name)
  }
  for (const text of [SECRET, `Bearer ${SECRET}`, `X-API-Key: "${SECRET}"`]) {
    assert.deepEqual([isTokenText(text), isSecretText(text)], [false, true], text)
  }
  const byChance = `eyJ${'a'.repeat(20)}.mmc_${'b'.repeat(20)}.${'c'.repeat(20)}`
  assert.deepEqual([isTokenText(`Bearer ${byChance}`), isSecretText(`Bearer ${byChance}`)], [true, false])
})
