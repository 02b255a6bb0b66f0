// What the command line and the console take for the token in a text that was pasted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPasted } from '../../../../api/values/pasted-token.ts'

const tokenInPasted = (pasted: string): string => readPasted(pasted).text
const isSecretText = (pasted: string): boolean => readPasted(pasted).not === 'secret'

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
    `${TOKEN.slice(0, 20)}\u200B${TOKEN.slice(20)}\u00AD`,
    `<${TOKEN}>`,
    `${TOKEN}.`,
    `"${TOKEN}",`,
    `token=${TOKEN}`,
    `"${TOKEN}","${TOKEN}"`,
    `curl -H 'Authorization: Bearer ${TOKEN}' http://127.0.0.1/`,
    `{"access_token":"${TOKEN}","token_type":"Bearer","expires_in":300}`,
    `Authorization: "Bearer ${TOKEN.slice(0, 20)}\r\n    ${TOKEN.slice(20)}"\n`,
  ]) {
    assert.equal(tokenInPasted(pasted), TOKEN, pasted)
  }
})

/** As long as one of the service: its signature shows where it ends. */
const WHOLE = `eyJhbGciOiJFUzI1NiJ9.eyJqdGkiOiJ4In0.${'c'.repeat(86)}`
const SECRET = `mmc_${'x1'.repeat(20)}`

test('a whole token is taken without the words behind it, and no secret is glued to it', () => {
  for (const pasted of [
    `${WHOLE} expires tomorrow`,
    `${WHOLE} ${WHOLE}`,
    `${WHOLE}\n${SECRET}`,
    `${WHOLE} ${SECRET}\n`,
    `${WHOLE.slice(0, 60)}\n${WHOLE.slice(60)}`,
    `${WHOLE.slice(0, 60)}\\\n  ${WHOLE.slice(60)}`,
    `${WHOLE.slice(0, 60)}=\r\n${WHOLE.slice(60)}`,
    `> ${WHOLE.slice(0, 60)}\n> ${WHOLE.slice(60)}`,
    `> ${WHOLE}\n> next`,
  ]) {
    assert.equal(tokenInPasted(pasted), WHOLE, pasted)
    assert.equal(isSecretText(pasted), false, pasted)
  }
  assert.ok(isSecretText(`${TOKEN}\n${SECRET}`))
})

test('a secret is one in the forms in which it is copied', () => {
  const [start, end] = [SECRET.slice(0, 12), SECRET.slice(12)]
  for (const pasted of [
    SECRET.toUpperCase(),
    `${start}\\\n  ${end}`,
    `${start}\n> ${end}`,
    SECRET.replace('_', '\\_'),
    SECRET.replace('_', '%5F'),
    `${start}\0${end}`,
    `${start}\uFE0F${end}`,
    `Authorization: Basic ${Buffer.from(`id:${SECRET}`).toString('base64')}`,
    `-----BEGIN PRIVATE KEY-----\nMIG`,
    '{"kty":"EC","d": "abc"}',
  ]) {
    assert.ok(isSecretText(pasted), pasted)
  }
  assert.equal(isSecretText('gamma_processing, basic agents'), false)
})

test('a paste of millions of characters is none, and no fault', () => {
  for (const part of ['eyJ', '\u200B', `${TOKEN.slice(0, 20)}.`]) {
    const pasted = part.repeat(3_000_000)
    assert.equal(isSecretText(pasted), false)
    assert.notEqual(tokenInPasted(pasted), TOKEN)
  }
})

test('several tokens, and words without one, are none to send', () => {
  const other = `${WHOLE.slice(0, -1)}d`
  assert.equal(readPasted(`curl -u user:pass ${WHOLE} ${other}`).not, 'several')
  for (const text of [
    'curl -u user:pass https://example.org',
    'my password is hunter2',
    `${TOKEN}x ${TOKEN} and more`,
  ]) {
    assert.notEqual(readPasted(text).not, undefined, text)
  }
  for (const text of ['aaa.\r\nbbb.\r\n ccc', 'a.b', '0198c2f0-7b1e-7000-\n8000-0123456789ab']) {
    assert.equal(readPasted(text).not, undefined, text)
  }
})

test('what is no such part stays', () => {
  const two = `"${TOKEN}","${TOKEN}x"`
  assert.equal(tokenInPasted(two), two.slice(1, -1))
  const wrapped = `curl -H "Authorization: Bearer ${TOKEN}\n  AAAA"`
  assert.equal(tokenInPasted(wrapped), wrapped.replaceAll(/\s/g, '').slice(0, -1))
  for (const text of [
    '',
    'Bearer',
    'bearer-of-news',
    'authorization',
    `${TOKEN}=`,
    `x${TOKEN}`,
    `${TOKEN}.e30`,
    'a"b',
  ]) {
    assert.equal(tokenInPasted(text), text)
  }
  assert.equal(tokenInPasted(`${'"'.repeat(65_536)}x`).at(-1), 'x')
})

test('a secret is one whatever stands within it', () => {
  const secret = 'mma_0123456789abcdefghij'
  for (const text of [
    secret,
    `export KEY="${secret}"`,
    `curl -d client_secret=${secret} ${'x'.repeat(100)}`,
    'mma_0123456789\n  abcdefghij',
    'mma_\u200B0123456789abcdefghij',
  ]) {
    assert.equal(isSecretText(text), true, text)
  }
  for (const text of [TOKEN, '', 'mmc_', 'mma_short', secret.replace('mma', 'mmx')])
    assert.equal(isSecretText(text), false)
})
