// What keys of each algorithm are called, and that tokens of each verify with libraries that are not ours.
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { calculateJwkThumbprint, compactVerify, importJWK, jwtVerify } from 'jose'
import { type AccessTokenClaims, makeTokenId } from '../../src/domain/ledger/claims.ts'
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../../api/values/algorithms.ts'
import type { SealedSigningKey } from '../../src/domain/keys/signing-key.ts'
import { bareJwkOf, isAlgorithmThere, signatureBytes } from '../../src/keys/tokens/signing-algorithms.ts'
import {
  generateSigningKey,
  makeSigningKey,
  openSigningKey,
  sealSigningKey,
} from '../../src/keys/tokens/signing-keys.ts'
import { thumbprintOf } from '../../src/keys/tokens/thumbprint.ts'
import { makeTokenCodec } from '../../src/keys/tokens/token-codec.ts'
import assert from 'node:assert/strict'

const KEY_ENCRYPTION_KEY = Buffer.alloc(32, 7)
const ISSUED_AT = 1_795_000_000_123
const ISSUER = 'https://mintmark.test'

const CLAIMS: AccessTokenClaims = {
  iss: ISSUER,
  sub: '6f1c1a52-4f7e-4c1f-9d7b-0a8a3d1f2b3c',
  aud: ISSUER,
  client_id: '6f1c1a52-4f7e-4c1f-9d7b-0a8a3d1f2b3c',
  iat: 1_795_000_000,
  exp: 1_795_000_300,
  jti: makeTokenId(ISSUED_AT, Buffer.alloc(10, 9)),
  scope: 'db:read',
  seq: 4,
  credential_id: '46b7cf5e-6ad4-4f9c-8d3b-1f6f8a0b7c11',
}

test('the example of RFC 8037 §A.3 has the thumbprint that the RFC gives it', () => {
  const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
  const thumbprint = thumbprintOf({ kty: 'OKP', crv: 'Ed25519', x, alg: 'EdDSA' })
  assert.equal(thumbprint, 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
})

test('the private key of RFC 8037 §A.1 has the public half that the RFC gives it', () => {
  const jwk = {
    kty: 'OKP',
    crv: 'Ed25519',
    d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  }
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  assert.deepEqual(bareJwkOf(key, 'EdDSA'), { kty: 'OKP', crv: 'Ed25519', x: jwk.x, alg: 'EdDSA' })
})

/** Made once: an RSA key takes half a second. */
const KEYS = new Map(SIGNING_ALGORITHMS.map(alg => [alg, makeSigningKey(KEY_ENCRYPTION_KEY, alg)]))

const keyOf = (alg: SigningAlgorithm): SealedSigningKey => KEYS.get(alg) ?? assert.fail(alg)

for (const alg of SIGNING_ALGORITHMS) {
  const sealed = keyOf(alg)
  const codec = makeTokenCodec({ issuer: ISSUER, keyEncryptionKey: KEY_ENCRYPTION_KEY })
  const [minted] = codec.mint([CLAIMS], { ...sealed, number: 1 })
  const token = minted?.token ?? ''

  test(`${alg}: jose verifies a token under the published key, which names its algorithm`, async () => {
    assert.equal(sealed.publicJwk.alg, alg)
    const { payload, protectedHeader } = await jwtVerify(token, await importJWK(sealed.publicJwk), {
      issuer: ISSUER,
      typ: 'at+jwt',
      algorithms: [alg],
      currentDate: new Date(ISSUED_AT),
    })
    assert.deepEqual(protectedHeader, { alg, kid: sealed.publicJwk.kid, typ: 'at+jwt' })
    assert.deepEqual(payload, CLAIMS)
  })

  test(`${alg}: the kid is the thumbprint as jose makes it`, async () => {
    assert.equal(sealed.publicJwk.kid, sealed.thumbprint)
    assert.equal(sealed.thumbprint, await calculateJwkThumbprint(sealed.publicJwk))
  })

  test(`${alg}: a revocation recognizes a token by its signature, and none that was changed`, async () => {
    assert.ok(await codec.isSignedBy(token, sealed.publicJwk))
    const [head = '', payload = '', signature = ''] = token.split('.')
    const inOtherAlphabet = signature.replaceAll('-', '+').replaceAll('_', '/')
    const broken = `${signature.slice(0, 40)} \n ${signature.slice(40)}`
    for (const spelled of [`${signature}==\n`, `${inOtherAlphabet}=`, broken, `${signature}==x`])
      assert.ok(await codec.isSignedBy(` ${head}.${payload}.${spelled}`, sealed.publicJwk), spelled)
    const bytes = Buffer.from(signature, 'base64url')
    assert.equal(bytes.length, signatureBytes(sealed.publicJwk))
    const others = [bytes.subarray(1), Buffer.concat([bytes, Buffer.alloc(3)]), Buffer.from(bytes.toReversed())]
    for (const other of others) {
      assert.equal(await codec.isSignedBy(`${head}.${payload}.${other.toString('base64url')}`, sealed.publicJwk), false)
    }
    const another = makeSigningKey(KEY_ENCRYPTION_KEY, alg)
    assert.equal(await codec.isSignedBy(token, another.publicJwk), false)
  })

  test(`${alg}: what a key signed as an answer to introspection verifies, and is no token of it`, async () => {
    const claims = { iss: ISSUER, aud: 'an-api-key', iat: CLAIMS.iat, token_introspection: { active: false } } as const
    const [answer = ''] = codec.signIntrospections([claims], { ...sealed, number: 1 })
    const { payload, protectedHeader } = await jwtVerify(answer, await importJWK(sealed.publicJwk))
    assert.deepEqual(protectedHeader, { alg, kid: sealed.publicJwk.kid, typ: 'token-introspection+jwt' })
    assert.deepEqual(payload, claims)
    const disguised = codec.signIntrospections([CLAIMS as unknown as typeof claims], { ...sealed, number: 1 })
    assert.equal(await codec.isSignedBy(disguised[0] ?? '', sealed.publicJwk), false)
  })

  test(`${alg}: the runtime of this test has it, and a key made beside the thread opens`, async () => {
    assert.ok(isAlgorithmThere(alg))
    const generated = await generateSigningKey(KEY_ENCRYPTION_KEY, alg)
    const { kid: _kid, use: _use, ...bare } = generated.publicJwk
    assert.deepEqual(bareJwkOf(openSigningKey(KEY_ENCRYPTION_KEY, generated), alg), bare)
  })
}

test('a key has public members of its own algorithm only, and a public half gives the same', () => {
  for (const alg of SIGNING_ALGORITHMS) {
    const privateKey = openSigningKey(KEY_ENCRYPTION_KEY, keyOf(alg))
    assert.deepEqual(bareJwkOf(createPublicKey(privateKey), alg), bareJwkOf(privateKey, alg))
    for (const other of SIGNING_ALGORITHMS.filter(one => one !== alg)) {
      assert.throws(() => bareJwkOf(privateKey, other), { message: `The key is none for ${other}.` })
    }
  }
})

test('a kind of key without a thumbprint is a fault', () => {
  assert.throws(() => thumbprintOf({ kty: 'oct', k: 'AA' }), { message: /^No thumbprint is defined/ })
})

test('an RSA key that the service makes has 3072 bits', () => {
  assert.equal(signatureBytes(keyOf('RS256').publicJwk), 3072 / 8)
})

test('a token of one algorithm does not verify as one of another', async () => {
  const codec = makeTokenCodec({ issuer: ISSUER, keyEncryptionKey: KEY_ENCRYPTION_KEY })
  const [es, ed] = [makeSigningKey(KEY_ENCRYPTION_KEY), makeSigningKey(KEY_ENCRYPTION_KEY, 'EdDSA')]
  const [minted] = codec.mint([CLAIMS], { ...es, number: 1 })
  const token = minted?.token ?? ''
  assert.equal(await codec.isSignedBy(token, ed.publicJwk), false)
  await assert.rejects(compactVerify(token, await importJWK(es.publicJwk), { algorithms: ['EdDSA'] }))
})

for (const alg of SIGNING_ALGORITHMS) {
  test(`${alg}: a token at every limit of scope, audience and kid is still short enough to be read`, () => {
    const iss = `https://${'i'.repeat(504)}`
    const codec = makeTokenCodec({ issuer: iss, keyEncryptionKey: KEY_ENCRYPTION_KEY })
    const privateKey = openSigningKey(KEY_ENCRYPTION_KEY, keyOf(alg))
    // Each of these takes two characters in JSON.
    const made = sealSigningKey(KEY_ENCRYPTION_KEY, privateKey, { alg, kid: '"'.repeat(128) })
    const aud = Array.from({ length: 8 }, () => `https://${'a'.repeat(504)}`)
    const claims = { ...CLAIMS, iss, aud, scope: `${'s'.repeat(1022)}:a`, seq: 2 ** 53 - 1 }
    const [minted] = codec.mint([claims], { ...made, number: 1 })
    assert.equal(codec.read(minted?.token ?? '')?.id, CLAIMS.jti)
  })
}
