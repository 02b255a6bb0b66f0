// What the command line and the console take for the token in a text that was pasted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenInPasted } from '../../../../api/values/pasted-token.ts'

const TOKEN = 'eyJhbGciOiJFUzI1NiJ9.eyJqdGkiOiJ4In0.c2lnbmF0dXJl'

test('a token is found in the header, the scheme, the quotes and the lines that it was copied with', () => {
  for (const pasted of [
    TOKEN,
    ` \t${TOKEN}\r\n`,
    `Bearer ${TOKEN}`,
    `bearer\n  ${TOKEN}`,
    `DPoP ${TOKEN}`,
    `Authorization: Bearer ${TOKEN}`,
    `authorization:Bearer ${TOKEN}`,
    `"${TOKEN}"`,
    `'${TOKEN}'`,
    `“${TOKEN}”`,
    `'Authorization: Bearer ${TOKEN}'`,
    `"Authorization: "Bearer "${TOKEN}"""`,
    `Authorization: "Bearer ${TOKEN.slice(0, 20)}\r\n    ${TOKEN.slice(20)}"\n`,
  ]) {
    assert.equal(tokenInPasted(pasted), TOKEN, pasted)
  }
})

test('what is no such part stays', () => {
  for (const text of ['', 'Bearer', 'bearer-of-news', 'authorization', `${TOKEN}=`, `x${TOKEN}`, 'a"b']) {
    assert.equal(tokenInPasted(text), text)
  }
  assert.equal(tokenInPasted(`${'"'.repeat(65_536)}x`).at(-1), 'x')
})
