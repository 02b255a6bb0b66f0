// Verified tokens are cached by their text, within bounds; and hooks are called.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTokenCache } from '../src/tokens/token-cache.ts'
import { usePublisher, verifierOf } from './fixtures.ts'

const publisher = usePublisher()

const textOf = (letter: string, length: number): string => letter.repeat(length)

test('there are at most so many, and at most so many bytes: what was not used lately goes first', () => {
  const byCount = makeTokenCache<number>({ tokensMax: 4, bytesMax: 1_000_000 })
  const found = (): readonly unknown[] => ['a', 'b', 'c', 'd', 'e'].map(token => byCount.get(token))
  for (const [n, token] of ['a', 'b', 'b', 'c'].entries()) byCount.add(token, n)
  assert.equal(byCount.size(), 3)
  // Asked for, it counts as a new one, and with `c` fills the younger half.
  assert.equal(byCount.get('a'), 0)
  byCount.add('d', 4)
  assert.deepEqual([found(), byCount.size()], [[0, undefined, 3, 4, undefined], 3])
  for (let n = 0; n < 100; n += 1) {
    byCount.add(textOf('t', n + 2), n)
    assert.ok(byCount.size() <= 4)
  }
  const byBytes = makeTokenCache<number>({ tokensMax: 100, bytesMax: 8000 })
  byBytes.add(textOf('x', 100), 1)
  const one = byBytes.bytes()
  for (const letter of ['y', 'z', 'x']) byBytes.add(textOf(letter, 100), 2)
  assert.deepEqual([byBytes.bytes(), byBytes.size()], [3 * one, 3])
  for (let n = 0; n < 100; n += 1) {
    byBytes.add(textOf('w', 100 + n), n)
    assert.ok(byBytes.bytes() <= 8000)
  }
  byBytes.add(textOf('v', 1500), 5)
  assert.equal(byBytes.get(textOf('v', 1500)), undefined)
})

test('what is forgotten takes no room, in either half', () => {
  const cache = makeTokenCache<number>({ tokensMax: 4, bytesMax: 100_000 })
  for (const token of ['a', 'b', 'c', 'c']) cache.add(token, 1)
  for (const token of ['a', 'b', 'c', 'c']) cache.forget(token)
  assert.deepEqual([cache.size(), cache.bytes()], [0, 0])
})

const fail = (): never => {
  throw new Error('of a hook')
}

test('a text that only ends like a token that was verified is not that token', () => {
  const cache = makeTokenCache<number>({ tokensMax: 10, bytesMax: 100_000 })
  const end = 's'.repeat(86)
  cache.add(`header.payload.${end}`, 1)
  assert.equal(cache.get(`header.payload.${end}`), 1)
  for (const other of [
    `header.other.${end}`,
    end,
    `x${end}`,
    `header.payload.${end} `,
    `header.payload.${end.slice(1)}`,
  ]) {
    assert.equal(cache.get(other), undefined)
    cache.forget(other)
  }
  assert.equal(cache.size(), 1)
  cache.add(`header.other.${end}`, 2)
  assert.deepEqual([cache.get(`header.payload.${end}`), cache.size()], [undefined, 1])
})

test('hooks hear of each token, and what they throw harms nobody', async t => {
  const heard: string[] = []
  const verifier = verifierOf(t, publisher, {
    mode: 'offline',
    name: 'orders',
    hooks: {
      verified: ({ claims }) => void heard.push(claims.jti),
      refused: ({ refusal }) => void heard.push(refusal),
    },
  })
  const { token, claims } = publisher.mint()
  await verifier.verify(token)
  await verifier.verify(`${token}x`)
  await verifier.authorize({ authorization: 'Bearer', proof: undefined, method: 'GET', url: 'https://api.example' })
  assert.deepEqual(heard, [claims.jti, 'malformed', 'invalid_request'])
  assert.equal(verifier.status().name, 'orders')
  const throwing = verifierOf(t, publisher, { hooks: { verified: fail, refused: fail, changed: fail, failed: fail } })
  assert.equal((await throwing.ready()).isFresh, true)
  assert.equal((await throwing.verify(token)).ok, true)
  assert.equal((await throwing.verify('x')).ok, false)
  assert.ok(throwing.status().failures > 2)
})
