// DPoP proofs as text: the examples of the RFC, each algorithm, and what is no proof however it is signed.
import assert from 'node:assert/strict'
import { createHmac, sign } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { calculateJwkThumbprint, generateKeyPair, exportJWK, SignJWT } from 'jose'
import { checkProofClaims } from '../../src/domain/ledger/dpop.ts'
import { PROOF_CHARACTERS_MAX } from '../../../packages/verify/src/readers/proof-claims.ts'
import { makeDpopProofs } from '../../src/keys/clients/dpop-proofs.ts'
import { encodeJson, headerOf, makeProof, makeProofKey, type ProofKey, signParts } from '../../../testkit/keys/dpop.ts'
import { withSurplusBit } from '../../../testkit/forgeries/forgeries.ts'
import { anyCodePoint } from '../../../testkit/parsers/hostile-inputs.ts'

const proofs = makeDpopProofs(new Uint8Array(32).fill(7))
const key = makeProofKey()
const RSA = makeProofKey('RS256')

/** The thumbprint of the key that signed it, or what is wrong. */
const check = async (text: string): Promise<{ jkt: string } | { wrong: string }> => {
  const read = proofs.read(text)
  return 'wrong' in read ? read : read.verify()
}

const RFC_HEADER =
  'eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJo' +
  'RjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19'
const RFC_THUMBPRINT = '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I'
const TOKEN_ENDPOINT = 'https://server.example.com/token'

/** Of RFC 9449: what it is for, when it was made, and payload and signature. */
const RFC_PROOFS = [
  [
    '§4.2 and §5, a token request',
    1_562_262_616,
    'eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwia' +
      'WF0IjoxNTYyMjYyNjE2fQ',
    '2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg',
  ],
  [
    '§5, a later token request',
    1_562_265_296,
    'eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwia' +
      'WF0IjoxNTYyMjY1Mjk2fQ',
    'pAqut2IRDm_De6PR93SYmGBPXpwrAk90e8cP2hjiaG5QsGSuKDYW7_X620BxqhvYC8ynrrvZLTk41mSRroapUA',
  ],
] as const

for (const [what, iat, payload, signature] of RFC_PROOFS) {
  test(`RFC 9449 ${what}: the proof is taken at its time, and names the key of §6.1`, async () => {
    const text = `${RFC_HEADER}.${payload}.${signature}`
    const read = proofs.read(text)
    assert.ok('claims' in read)
    const claims = checkProofClaims(read.claims, TOKEN_ENDPOINT, 1000 * iat)
    assert.deepEqual(claims, { jti: '-BwC3ESc6acc2lTc', nonce: undefined, until: 1000 * iat + 60_000 })
    assert.deepEqual(await check(text), { jkt: RFC_THUMBPRINT })
  })
}

test('RFC 9449 §7.1: the proof of a request to a resource server is well signed, and none for a token request', async () => {
  const payload =
    'eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRy' +
    'ZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9'
  const signature = '2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA'
  const read = proofs.read(`${RFC_HEADER}.${payload}.${signature}`)
  assert.ok('claims' in read)
  assert.deepEqual(await read.verify(), { jkt: RFC_THUMBPRINT })
  assert.ok('refusal' in checkProofClaims(read.claims, TOKEN_ENDPOINT, 1_562_262_618_000))
})

for (const alg of ['ES256', 'EdDSA', 'Ed25519', 'RS256', 'PS256']) {
  test(`a proof that jose signs with ${alg} is taken, and its thumbprint is jose's`, async () => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
    const jwk = await exportJWK(publicKey)
    const proof = await new SignJWT({ jti: 'x' }).setProtectedHeader({ typ: 'dpop+jwt', alg, jwk }).sign(privateKey)
    assert.deepEqual(await check(proof), { jkt: await calculateJwkThumbprint(jwk) })
  })
}

test('members of jwk that say nothing against it are passed over', async () => {
  const jwk = { ...key.jwk, kid: 'mine', use: 'sig', alg: 'ES256', key_ops: ['verify'], ext: true }
  assert.ok('jkt' in (await check(makeProof(key, { header: { jwk } }))))
})

const FORM = 'it is not a compact JWS in its canonical form, or has a member that is not taken'
const ALG = 'alg is not one of ES256, Ed25519, EdDSA, RS256, PS256'
const KEY = 'jwk is not a public key for alg, without private members'
const SIGNATURE = 'its signature does not verify with jwk'

const proof = makeProof(key, {})
const [H = '', P = '', S = ''] = proof.split('.')
const JSON_HEADER = JSON.stringify(headerOf(key))

/** Signed by what an attacker has: the public key, as the secret of an HMAC. */
const hmacProof = (secret: string): string => {
  const input = `${encodeJson({ ...headerOf(RSA), alg: 'HS256' })}.${P}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}

const withHeader = (header: Readonly<Record<string, unknown>>, by: ProofKey = key): string => makeProof(by, { header })
const privateOf = ({ privateKey }: ProofKey): object => privateKey.export({ format: 'jwk' })

/** The same r with n - s, which ECDSA takes too. */
const flipped = (): string => {
  const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const bytes = Buffer.from(S, 'base64url')
  const s = n - BigInt(`0x${bytes.subarray(32).toString('hex')}`)
  const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')])
  return `${H}.${P}.${other.toString('base64url')}`
}

const WRONG: Readonly<Record<string, readonly [text: string, wrong: string]>> = {
  nothing: ['', FORM],
  'two parts': [`${H}.${P}`, FORM],
  'no signature': [`${H}.${P}.`, FORM],
  'four parts': [`${proof}.${S}`, FORM],
  padding: [`${H}=.${P}.${S}`, FORM],
  'a space': [`${H}.${P} .${S}`, FORM],
  'surplus bits in the signature': [`${H}.${P}.${withSurplusBit(S)}`, FORM],
  'JSON serialization': [JSON.stringify({ protected: H, payload: P, signature: S }), FORM],
  'a header that is no JSON': [signParts(key, '{', '{}'), FORM],
  'a header that is an array': [signParts(key, '[]', '{}'), FORM],
  'alg twice': [signParts(key, JSON_HEADER.replace('{', '{"alg":"none",'), '{}'), FORM],
  'alg twice, spelled apart': [signParts(key, JSON_HEADER.replace('{', '{"\\u0061lg":"none",'), '{}'), FORM],
  'a member of jwk twice': [signParts(key, JSON_HEADER.replace('"kty"', '"kty":"RSA","kty"'), '{}'), FORM],
  'jti twice': [signParts(key, JSON_HEADER, '{"jti":"a","jti":"b"}'), FORM],
  'a byte order mark': [signParts(key, JSON_HEADER, '\uFEFF{}'), FORM],
  crit: [withHeader({ crit: ['exp'], exp: 1 }), FORM],
  'an empty crit': [withHeader({ crit: [] }), FORM],
  b64: [withHeader({ b64: true }), FORM],
  zip: [withHeader({ zip: 'DEF' }), FORM],
  'typ JWT': [withHeader({ typ: 'JWT' }), 'typ is not dpop+jwt'],
  'typ at+jwt': [withHeader({ typ: 'at+jwt' }), 'typ is not dpop+jwt'],
  'no typ': [withHeader({ typ: undefined }), 'typ is not dpop+jwt'],
  'typ in an array': [withHeader({ typ: ['dpop+jwt'] }), 'typ is not dpop+jwt'],
  'no alg': [withHeader({ alg: undefined }), ALG],
  'an alg of the prototype': [withHeader({ alg: 'constructor' }), ALG],
  'alg in an array': [withHeader({ alg: ['ES256'] }), ALG],
  'the secret of HS256 being n': [hmacProof(RSA.jwk.n ?? ''), ALG],
  'the secret of HS256 being the key in JSON': [hmacProof(JSON.stringify(RSA.jwk)), ALG],
  'an algorithm that is not in the list': [withHeader({}, makeProofKey('ES384')), ALG],
  'no jwk': [withHeader({ jwk: undefined }), 'jwk is missing'],
  'jwk as a text': [withHeader({ jwk: JSON.stringify(key.jwk) }), 'jwk is missing'],
  'kid and jku in the place of jwk': [
    withHeader({ jwk: undefined, kid: 'a', jku: 'https://evil.example/keys' }),
    'jwk is missing',
  ],
  'the private key of ES256 in jwk': [withHeader({ jwk: privateOf(key) }), KEY],
  'the private key of RS256 in jwk': [withHeader({ jwk: privateOf(RSA) }, RSA), KEY],
  'a shared secret as jwk': [withHeader({ jwk: { kty: 'oct', k: 'AAAA' } }), KEY],
  'an RSA key of 1024 bits': [
    withHeader({}, makeProofKey('RS256', 1024)),
    'jwk is an RSA key of 1024 bits, not of 2048 to 8192',
  ],
  'the exponent 1': [
    withHeader({ jwk: { ...RSA.jwk, e: 'AQ' } }, RSA),
    'jwk is an RSA key with an exponent other than an odd one from 65537 to 4294967295',
  ],
  'a key for encryption': [withHeader({ jwk: { ...key.jwk, use: 'enc' } }), KEY],
  'a key for another alg': [withHeader({ jwk: { ...key.jwk, alg: 'ES384' } }), KEY],
  'a key of another kind': [withHeader({ jwk: RSA.jwk }), KEY],
  'an Edwards key under ES256': [withHeader({ jwk: makeProofKey('Ed25519').jwk }), KEY],
  'a point that is not on the curve': [
    withHeader({ jwk: { ...key.jwk, y: key.jwk.x } }),
    'jwk is no public key of its kind',
  ],
  'n with a zero in front': [
    withHeader(
      {
        jwk: {
          ...RSA.jwk,
          n: Buffer.from(`00${Buffer.from(RSA.jwk.n ?? '', 'base64url').toString('hex')}`, 'hex').toString('base64url'),
        },
      },
      RSA,
    ),
    'jwk is not in its canonical form',
  ],
  'x with padding': [withHeader({ jwk: { ...key.jwk, x: `${key.jwk.x ?? ''}=` } }), 'jwk is not in its canonical form'],
  'x with surplus bits': [
    withHeader({ jwk: { ...key.jwk, x: withSurplusBit(key.jwk.x ?? '') } }),
    'jwk is not in its canonical form',
  ],
  'the signature of another key': [withHeader({ jwk: makeProofKey().jwk }), SIGNATURE],
  'the signature of another payload': [`${H}.${encodeJson({ htm: 'GET' })}.${S}`, SIGNATURE],
  'a signature of zeros': [`${H}.${P}.${Buffer.alloc(64).toString('base64url')}`, SIGNATURE],
  'a signature in DER': [
    `${H}.${P}.${sign('sha256', Buffer.from(`${H}.${P}`), key.privateKey).toString('base64url')}`,
    SIGNATURE,
  ],
  'a short signature': [`${H}.${P}.AAAA`, SIGNATURE],
  'RS256 signed as PS256': [withHeader({ alg: 'RS256' }, { ...RSA, alg: 'PS256' }), SIGNATURE],
}

for (const [name, [text, wrong]] of Object.entries(WRONG)) {
  test(`${name}: no proof`, async () => assert.deepEqual(await check(text), { wrong }))
}

for (const alg of ['none', 'None', 'NONE', 'nOnE', ' none', 'none ', '']) {
  test(`alg ${JSON.stringify(alg)}: no proof, with whatever signature`, async () => {
    const header = encodeJson({ ...headerOf(key), alg })
    assert.deepEqual(await check(`${header}.${P}.`), { wrong: FORM })
    for (const signature of [S, 'AA']) assert.deepEqual(await check(`${header}.${P}.${signature}`), { wrong: ALG })
  })
}

test('a proof may have 4096 characters and no more', async () => {
  const ofLength = (length: number): string => {
    const fill = Math.floor(((length - makeProof(key, { claims: { fill: '' } }).length) * 3) / 4)
    return makeProof(key, { claims: { fill: 'x'.repeat(fill) } })
  }
  const taken = ofLength(PROOF_CHARACTERS_MAX)
  assert.ok(taken.length > PROOF_CHARACTERS_MAX - 4 && taken.length <= PROOF_CHARACTERS_MAX, String(taken.length))
  assert.ok('jkt' in (await check(taken)))
  assert.deepEqual(await check(ofLength(PROOF_CHARACTERS_MAX + 4)), { wrong: 'it has more than 4096 characters' })
})

test('an RSA key of 4096 bits is taken', async () => {
  assert.ok('jkt' in (await check(makeProof(makeProofKey('PS256', 4096), {}))))
})

test('another signature of the same proof is a proof too: its jti is what counts once', async () => {
  assert.ok('jkt' in (await check(flipped())))
})

test('whatever the text, checking it gives a key or what is wrong, and never throws', async () => {
  const mutation = fc.tuple(fc.nat(proof.length), fc.string({ unit: anyCodePoint, maxLength: 4 }))
  const mutated = mutation.map(([at, junk]) => proof.slice(0, at) + junk + proof.slice(at + junk.length))
  const headers = fc.tuple(fc.json(), fc.json()).map(([header, payload]) => signParts(key, header, payload))
  const jwks = fc.object({ maxDepth: 1 }).map(jwk => withHeader({ jwk: { ...key.jwk, ...jwk } }))
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: anyCodePoint }), mutated, headers, jwks), async text => {
      const answer = await check(text)
      assert.ok('jkt' in answer || answer.wrong !== '')
    }),
    { numRuns: 300 },
  )
})

test('the nonce of a step of time is the same under one key, and another for each step and key', () => {
  const again = makeDpopProofs(new Uint8Array(32).fill(7))
  const other = makeDpopProofs(new Uint8Array(32).fill(8))
  const steps = [1, 2, 3, 4, 5, 6]
  const nonces = steps.map(step => proofs.nonce(step))
  assert.deepEqual(
    steps.map(step => again.nonce(step)),
    nonces,
  )
  assert.equal(new Set([...nonces, ...steps.map(step => other.nonce(step))]).size, 12)
  // Processes of two versions that serve together make the same ones.
  assert.equal(nonces[0], 'UcWgAEGXVKAfz-LB4kKekM')
  // RFC 9449 §8: nonce = 1*NQCHAR.
  for (const nonce of nonces) assert.match(nonce, /^[A-Za-z0-9_-]{22}$/)
})
