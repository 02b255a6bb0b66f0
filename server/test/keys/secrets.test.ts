// Client secrets and API keys: their form, their hash, their comparison.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { makeSecrets, randomness } from '../../src/keys/clients/secrets.ts'

const secrets = makeSecrets(randomness)
const withBytes = (byte: number) => makeSecrets({ bytes: count => new Uint8Array(count).fill(byte) })
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const numberOf = (base62: string): bigint =>
  base62.split('').reduce((sum, c) => sum * 62n + BigInt(ALPHABET.indexOf(c)), 0n)

const FORMS: readonly (readonly [string, () => string, RegExp])[] = [
  ['a client secret', () => secrets.makeClientSecret(), /^mmc_[0-9A-Za-z]{49}$/],
  ['an API key', () => secrets.makeApiKey(), /^mma_[0-9A-Za-z]{49}$/],
]

for (const [name, make, form] of FORMS) {
  test(`${name} is its prefix, 256 random bits and a checksum, in characters that no client encodes`, () => {
    const secret = make()
    assert.match(secret, form)
    assert.equal(encodeURIComponent(secret), secret)
    assert.equal(numberOf(secret.slice(-6)), BigInt(crc32(secret.slice(0, -6))))
    assert.notEqual(make(), secret)
  })
}

test('every random bit is in the secret, from all zeros to all ones', () => {
  assert.equal(numberOf(withBytes(0).makeApiKey().slice(4, -6)), 0n)
  assert.equal(numberOf(withBytes(255).makeApiKey().slice(4, -6)), 2n ** 256n - 1n)
})

test('a secret is recognized by its prefix and its checksum; one that differs in a character, or is longer, is none of ours', () => {
  const [client, apiKey] = [secrets.makeClientSecret(), secrets.makeApiKey()]
  assert.deepEqual([secrets.kindOf(client), secrets.kindOf(apiKey)], ['client_secret', 'api_key'])
  const swapped = (at: number): string =>
    client.slice(0, at) + (client.charAt(at) === 'x' ? 'y' : 'x') + client.slice(at + 1)
  const wrong = Array.from(client, (_, at) => swapped(at))
  for (const text of [...wrong, '', 'mmc_', `${client}0`, ` ${client}`, `${client}\n`, client.slice(0, -1)]) {
    assert.equal(secrets.kindOf(text), undefined, text)
  }
})

test('a hash is SHA-256 of the UTF-8 text', () => {
  for (const text of ['', 'mmc_x', 'schlüssel €']) {
    assert.equal(secrets.hash(text), createHash('sha256').update(text, 'utf8').digest('hex'))
  }
})

test('hashes, and digests, are equal only where every byte is, whatever was compared before', () => {
  const [a, b] = [secrets.hash('a'), secrets.hash('b')]
  for (const characters of [64, 32]) {
    const [left, right] = [a.slice(0, characters), b.slice(0, characters)]
    assert.equal(secrets.areEqual(left, left), true)
    assert.equal(secrets.areEqual(left, right), false)
    for (let n = 0; n < characters; n += 1) {
      const changed = `${left.slice(0, n)}${left[n] === '0' ? '1' : '0'}${left.slice(n + 1)}`
      assert.equal(secrets.areEqual(left, changed), false)
      assert.equal(secrets.areEqual(changed, left), false)
    }
  }
})

test('what has the length of no hash equals nothing', () => {
  const a = secrets.hash('a')
  assert.equal(secrets.areEqual(a, a.slice(0, 62)), false)
  assert.equal(secrets.areEqual(a.slice(0, 62), a), false)
  assert.equal(secrets.areEqual(a, `${a}00`), false)
  assert.equal(secrets.areEqual(a, a.slice(0, 32)), false)
  for (const text of ['', a.slice(0, 62), `${a}00`]) assert.equal(secrets.areEqual(text, text), false)
})

test('random bytes and UUIDs are as many and as formed as asked for, and not the same twice', () => {
  assert.equal(randomness.bytes(10).length, 10)
  assert.notDeepEqual(randomness.bytes(32), randomness.bytes(32))
  assert.match(randomness.uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.notEqual(randomness.uuid(), randomness.uuid())
})
