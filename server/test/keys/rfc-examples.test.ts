// The examples of RFC 7515 appendix A and E, RFC 7520 §4 and RFC 7638 §3.1, by the code that reads the JWTs of others.
// Those of RFC 9449 stand in dpop-proofs.test.ts.
import assert from 'node:assert/strict'
import type { KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { isJsonObject } from '../../../packages/verify/src/readers/json.ts'
import { type CompactJws, readCompactJws } from '../../src/keys/verify-signature.ts'
import { thumbprintOf } from '../../src/keys/tokens/thumbprint.ts'
import {
  parseProviderAlgorithm,
  parseProviderKey,
  permits,
  type ProviderKey,
} from '../../src/keys/providers/provider-key.ts'
import { verifySignature } from '../../src/keys/verify-signature.ts'

const PAYLOAD = 'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ'
const CLAIMS = { iss: 'joe', exp: 1_300_819_380, 'http://example.com/is_root': true }

const OTHER_PAYLOAD = Buffer.from(JSON.stringify({ ...CLAIMS, iss: 'jim' })).toString('base64url')

const RSA_MODULUS =
  'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-' +
  'pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2Ca' +
  'pHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb5' +
  '4h4FRWyuXpoQ'
const RSA_SIGNATURE =
  'cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr' +
  '7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--x' +
  'i12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_Ioy' +
  'pGlUPQGe77Rw'
const A2 = `eyJhbGciOiJSUzI1NiJ9.${PAYLOAD}.${RSA_SIGNATURE}`
const A3_SIGNATURE = 'DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q'
const A3 = `eyJhbGciOiJFUzI1NiJ9.${PAYLOAD}.${A3_SIGNATURE}`

const VERIFIED = [
  ['A.2, RS256', A2, { kty: 'RSA', n: RSA_MODULUS, e: 'AQAB' }],
  [
    'A.3, ES256',
    A3,
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    },
  ],
] as const

const keyOf = (jwk: object): ProviderKey => {
  const key = parseProviderKey(jwk)
  assert.ok(key)
  return key
}

const objectOf = ({ read }: ProviderKey): KeyObject => {
  const found = read()
  return 'key' in found ? found.key : assert.fail(found.wrong)
}

for (const [name, text, jwk] of VERIFIED) {
  test(`RFC 7515 ${name}: it is read, and verifies with its key, and other claims do not`, async () => {
    const jws = readCompactJws(text)
    assert.ok(jws)
    assert.deepEqual(jws.payload, CLAIMS)
    const algorithm = parseProviderAlgorithm(jws.header['alg'])
    assert.ok(algorithm !== undefined && permits(keyOf(jwk), algorithm, undefined))
    const key = objectOf(keyOf(jwk))
    assert.equal(await verifySignature(jws, algorithm, key), true)
    const [header = '', , signature = ''] = text.split('.')
    const other = readCompactJws(`${header}.${OTHER_PAYLOAD}.${signature}`)
    assert.ok(other)
    assert.equal(await verifySignature(other, algorithm, key), false)
  })
}

test('RFC 7515 A.1, HS256: no key set may hold its secret, and its alg is none that is taken', () => {
  const text = `eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.${PAYLOAD}.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`
  const alg = readCompactJws(text)?.header['alg']
  assert.equal(alg, 'HS256')
  assert.equal(parseProviderAlgorithm(alg), undefined)
  const k = 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow'
  assert.equal(parseProviderKey({ kty: 'oct', k }), undefined)
})

const NOT_READ: Readonly<Record<string, string>> = {
  'A.5, an unsecured JWS': `eyJhbGciOiJub25lIn0.${PAYLOAD}.`,
  'A.6, general JSON serialization': JSON.stringify({
    payload: PAYLOAD,
    signatures: [
      { protected: 'eyJhbGciOiJSUzI1NiJ9', header: { kid: '2010-12-29' }, signature: RSA_SIGNATURE },
      {
        protected: 'eyJhbGciOiJFUzI1NiJ9',
        header: { kid: 'e9bc097a-ce51-4036-9562-d2ade882db0d' },
        signature: A3_SIGNATURE,
      },
    ],
  }),
  'A.7, flattened JSON serialization': JSON.stringify({
    payload: PAYLOAD,
    protected: 'eyJhbGciOiJFUzI1NiJ9',
    header: { kid: 'e9bc097a-ce51-4036-9562-d2ade882db0d' },
    signature: A3_SIGNATURE,
  }),
  'E, the negative test case for crit':
    'eyJhbGciOiJub25lIiwNCiAiY3JpdCI6WyJodHRwOi8vZXhhbXBsZS5jb20vVU5ERUZJTkVEIl0sDQogImh0dHA6Ly9leGFtcGxlLmNvbS9V' +
    'TkRFRklORUQiOnRydWUNCn0.RkFJTA.',
}

for (const [name, text] of Object.entries(NOT_READ)) {
  test(`RFC 7515 ${name}: it is not read`, () => assert.equal(readCompactJws(text), undefined))
}

const COOKBOOK_MODULUS =
  'n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSCpMaJMRBSFKrKb2wqV' +
  'wGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJls' +
  'de3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkq' +
  'gc5gHdrNP5zw'
const COOKBOOK_HEADER = 'eyJhbGciOiJSUzI1NiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9'
const COOKBOOK_PAYLOAD =
  'SXTigJlzIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCwgYW' +
  '5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0' +
  'by4'
const COOKBOOK_SIGNATURE =
  'MRjdkly7_-oTPTS3AXP41iQIGKa80A0ZmTuV5MEaHoxnW2e5CZ5NlKtainoFmKZopdHM1O2U4mwzJdQx996ivp83xuglII7PNDi84wnB-BDkoB' +
  'wA78185hX-Es4JIwmDLJK3lfWRa-XtL0RnltuYv746iYTh_qHRD68BNt1uSNCrUCTJDt5aAE6x8wW1Kt9eRo4QPocSadnHXFxnt8Is9UzpERV0' +
  'ePPQdLuW3IS_de3xyIrDaLGdjluPxUAhb6L2aXic1U12podGU0KLUQSE_oI-ZnmKJ3F4uOZDnd6QZWJushZ41Axf_fcIe8u9ipH84ogoree7vj' +
  'bU5y18kDquDg'

test('RFC 7520 §4.1, RS256: the key of §3.3 verifies it; as a JWT it is not read, its payload being prose', async () => {
  const kid = 'bilbo.baggins@hobbiton.example'
  const key = keyOf({ kty: 'RSA', kid, use: 'sig', n: COOKBOOK_MODULUS, e: 'AQAB' })
  assert.ok(permits(key, 'RS256', kid))
  const signingInput = `${COOKBOOK_HEADER}.${COOKBOOK_PAYLOAD}`
  const text = `${signingInput}.${COOKBOOK_SIGNATURE}`
  assert.equal(readCompactJws(text), undefined)
  const header: unknown = JSON.parse(Buffer.from(COOKBOOK_HEADER, 'base64url').toString())
  assert.ok(isJsonObject(header))
  const signature = Buffer.from(COOKBOOK_SIGNATURE, 'base64url')
  const jws: CompactJws = { header, payload: {}, signingInput, signature, text }
  assert.equal(await verifySignature(jws, 'RS256', objectOf(key)), true)
  const otherInput = signingInput.replace('SXTi', 'SXTj')
  assert.equal(await verifySignature({ ...jws, signingInput: otherInput }, 'RS256', objectOf(key)), false)
})

test('RFC 7520 §4.2 to §4.4: PS384, ES512 and HS256 are no algorithms that are taken', () => {
  for (const alg of ['PS384', 'ES512', 'HS256']) assert.equal(parseProviderAlgorithm(alg), undefined)
})

const N_OF_7638 =
  '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3ok' +
  'njhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu' +
  '6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8a' +
  'wapJzKnqDKgw'

test('RFC 7638 §3.1: the thumbprint of the RSA key', () => {
  const jwk = { kty: 'RSA', n: N_OF_7638, e: 'AQAB', alg: 'RS256', kid: '2011-04-29' }
  assert.equal(thumbprintOf(jwk), 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs')
})
