// Token ids carry the time of issue: what is read from them, and the least of an instant.
import { test } from 'node:test'
import {
  audienceClaim,
  ABOVE_EVERY_ID,
  expiresSecondOf,
  isTokenId,
  issuedAtOf,
  issuedSecondOf,
  lowestIdAt,
  lowestLiveId,
  makeTokenId,
} from '../../src/domain/ledger/claims.ts'
import { earlierExpiry, expiresAtOf, hasExpired, refuseExpired } from '../../src/domain/ledger/expiry.ts'
import assert from 'node:assert/strict'

const AT = 0x0199_8877_6655
const RANDOM = Uint8Array.of(0xab, 0xcd, 0xff, 0x01, 2, 3, 4, 5, 6, 0xef)

test('an id is a UUIDv7 of its time and of the random bytes (RFC 9562 §5.7)', () => {
  assert.equal(makeTokenId(AT, RANDOM), '01998877-6655-7bcd-bf01-0203040506ef')
  assert.equal(makeTokenId(0, new Uint8Array(10)), '00000000-0000-7000-8000-000000000000')
  assert.equal(makeTokenId(2 ** 48 - 1, RANDOM.fill(0xff)), 'ffffffff-ffff-7fff-bfff-ffffffffffff')
})

test('an id shows when it was issued, and with a lifetime when it expires', () => {
  const id = makeTokenId(AT, new Uint8Array(10))
  assert.equal(issuedAtOf(id), AT)
  assert.equal(issuedSecondOf(id), Math.floor(AT / 1000))
  assert.equal(expiresSecondOf(id, 300), Math.floor(AT / 1000) + 300)
})

test('what is no UUIDv7 in lower case is no id', () => {
  const id = '01998877-6655-7bcd-9f01-0203040506ef'
  for (const variant of '89ab') assert.ok(isTokenId(id.replace('-9', `-${variant}`)))
  const wrong = ['', ` ${id}`, `${id} `, `${id}\n`, `${id}0`, id.slice(1), id.toUpperCase(), id.replaceAll('-', '')]
  wrong.push(id.replace('-7', '-4'), id.replace('-9', '-7'), id.replace('-9', '-c'), id.replace('ef', 'eg'))
  for (const text of wrong) {
    assert.equal(isTokenId(text), false, JSON.stringify(text))
  }
})

test('the least id of an instant lies below every id of it, above all before it, and below the one above all', () => {
  assert.equal(lowestIdAt(AT), '01998877-6655-0000-0000-000000000000')
  assert.ok(lowestIdAt(AT) < makeTokenId(AT, new Uint8Array(10)))
  assert.ok(lowestIdAt(AT) > makeTokenId(AT - 1, new Uint8Array(10).fill(0xff)))
  assert.equal(lowestIdAt(-1), '00000000-0000-0000-0000-000000000000')
  assert.equal(lowestIdAt(2 ** 48), 'ffffffff-ffff-0000-0000-000000000000')
  assert.ok(makeTokenId(2 ** 48 - 1, new Uint8Array(10).fill(0xff)) < ABOVE_EVERY_ID)
})

test('the least live id is that of the first second whose tokens have not expired', () => {
  const now = 1_700_000_300_000
  assert.equal(lowestLiveId(now, 300), lowestIdAt(1_700_000_001_000))
  assert.equal(lowestLiveId(now - 1, 300), lowestIdAt(1_700_000_000_000))
})

test('one audience is a text, several are a list (RFC 7519 §4.1.3)', () => {
  assert.equal(audienceClaim(['https://one.example']), 'https://one.example')
  assert.deepEqual(audienceClaim(['https://one.example', 'x']), ['https://one.example', 'x'])
  assert.deepEqual(audienceClaim([]), [])
})

test('an expiry is a time, a time from now, or never, and holds from its millisecond on', () => {
  assert.equal(expiresAtOf(null, 5), null)
  assert.equal(expiresAtOf({ at: 7 }, 5), 7)
  assert.equal(expiresAtOf({ afterMs: 7 }, 5), 12)
  assert.deepEqual(
    [4, 5, 6].map(now => hasExpired(5, now)),
    [false, true, true],
  )
  assert.equal(hasExpired(null, 5), false)
  assert.deepEqual([earlierExpiry(null, 5), earlierExpiry(4, 5), earlierExpiry(6, 5)], [5, 4, 5])
  assert.deepEqual(refuseExpired(), {
    refusal: { code: 'invalid_request', description: 'The expiry is not in the future.' },
  })
})
