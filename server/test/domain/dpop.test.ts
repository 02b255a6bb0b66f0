// The claims of a DPoP proof at the token endpoint, each valid, invalid, and where the one becomes the other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkProofClaims, nonceLastInstant, nonceStepAt, refuseProof } from '../../src/domain/ledger/dpop.ts'

const CALLED = 'https://tokens.example/base/oauth/token'
const NOW = Date.UTC(2026, 10, 23, 12)
const SECOND = NOW / 1000
const GOOD = { htm: 'POST', htu: CALLED, jti: 'a', iat: SECOND }

type Claims = Readonly<Record<string, unknown>>

const check = (claims: Claims, now = NOW, called = CALLED) => checkProofClaims({ ...GOOD, ...claims }, called, now)

const assertTaken = (claims: Claims, until: number, now = NOW): void =>
  assert.deepEqual(
    check(claims, now),
    { jti: 'jti' in claims ? claims['jti'] : 'a', nonce: claims['nonce'], until },
    JSON.stringify(claims),
  )

const assertRefused = (claims: Claims, why: string, now = NOW): void => {
  const description = `The DPoP proof was refused: ${why}.`
  const expected = { refusal: { code: 'invalid_dpop_proof', description } }
  assert.deepEqual(check(claims, now), expected, JSON.stringify(claims))
  assert.deepEqual(refuseProof(why), expected)
}

test('a good proof is accepted until a minute after its iat, and hands its nonce on', () => {
  assertTaken({}, NOW + 60_000)
  assertTaken({ nonce: 'n' }, NOW + 60_000)
  assertTaken({ iat: SECOND + 0.5 }, NOW + 60_500)
  assertTaken({ iat: SECOND + 0.0004 }, NOW + 60_000)
})

test('htm is POST and nothing like it', () => {
  for (const htm of ['post', 'GET', '', undefined, null, ['POST'], 1]) assertRefused({ htm }, 'htm is not POST')
})

test('htu is the called URL in any equivalent spelling', () => {
  for (const htu of [
    'HTTPS://TOKENS.example/base/oauth/token',
    'https://tokens.example:443/base/oauth/token',
    `${CALLED}?a=b`,
    `${CALLED}#x`,
    'https://tokens.example/base/./x/../oauth/token',
    'https://tokens.example/base/oauth/%74oken',
    'https://tokens.example/%62%61se/oauth/token',
  ]) {
    assertTaken({ htu }, NOW + 60_000)
  }
  for (const htu of [
    undefined,
    null,
    1,
    [CALLED],
    '',
    '/base/oauth/token',
    'http://tokens.example/base/oauth/token',
    'https://tokens.example:444/base/oauth/token',
    'https://other.example/base/oauth/token',
    'https://tokens.example/oauth/token',
    'https://tokens.example/base/oauth/token/',
    'https://tokens.example/base/oauth/Token',
    'https://tokens.example/base/oauth%2Ftoken',
    'https://me@tokens.example/base/oauth/token',
    'https://:x@tokens.example/base/oauth/token',
    ` ${CALLED}`,
    `${CALLED}\n`,
    'https://tokens.example\\base/oauth/token',
    'https://tokens.example/base/oauth/tok\u0435n',
    'https://tokens.example/base/oauth/to\nken',
    'https://tok\u00ADens.example/base/oauth/token',
    'https://tokens.example/base/oauth/token?"x',
    'ftp://tokens.example/base/oauth/token',
    'https:///base/oauth/token',
  ]) {
    assertRefused({ htu }, `htu is not ${CALLED}`)
  }
  // Not even as it is: a gateway that knows no address compares with an empty one.
  for (const called of ['urn:x', '']) assert.ok('refusal' in check({ htu: called }, NOW, called))
})

test('escapes of reserved characters are compared without regard to case, and are no other character', () => {
  const called = 'https://tokens.example/a%2fb'
  assert.ok('until' in check({ htu: 'https://tokens.example/a%2Fb' }, NOW, called))
  assert.ok('refusal' in check({ htu: 'https://tokens.example/a/b' }, NOW, called))
})

test('jti is a text of 1 to 256 characters', () => {
  for (const jti of ['x', 'x'.repeat(256)]) assertTaken({ jti }, NOW + 60_000)
  for (const jti of ['', 'x'.repeat(257), undefined, null, 1, ['x']]) {
    assertRefused({ jti }, 'jti is not 1 to 256 characters')
  }
})

test('iat is at most a minute from now, to the millisecond', () => {
  assertTaken({ iat: SECOND - 60 }, NOW)
  assertTaken({ iat: SECOND + 60 }, NOW + 120_000)
  const off = 'iat is more than 60 s from the time of this service'
  assertRefused({ iat: SECOND - 60 }, off, NOW + 1)
  assertRefused({ iat: SECOND + 60 }, off, NOW - 1)
  for (const iat of [undefined, null, '1', Number.NaN, Number.POSITIVE_INFINITY, [SECOND]]) {
    assertRefused({ iat }, 'iat is missing, or no time')
  }
})

test('exp and nbf hold where they are there', () => {
  assertTaken({ exp: SECOND + 1 }, NOW + 999)
  assertTaken({ exp: SECOND + 0.0015 }, NOW + 1)
  assertTaken({ exp: SECOND + 61 }, NOW + 60_000)
  for (const exp of [SECOND, SECOND - 1, null, '1', Number.NaN]) assertRefused({ exp }, 'exp has passed, or is no time')
  assertTaken({ nbf: SECOND + 60 }, NOW + 60_000)
  assertTaken({ nbf: 0 }, NOW + 60_000)
  for (const nbf of [SECOND + 60.001, null, '1', Number.NaN]) {
    assertRefused({ nbf }, 'nbf lies in the future, or is no time')
  }
})

test('a nonce is that of its minute, and is accepted to the end of the next', () => {
  assert.equal(nonceStepAt(0), 0)
  assert.equal(nonceStepAt(59_999), 0)
  assert.equal(nonceStepAt(60_000), 1)
  assert.equal(nonceLastInstant(0), 119_999)
  assert.equal(nonceLastInstant(nonceStepAt(NOW)), NOW + 119_999)
})
