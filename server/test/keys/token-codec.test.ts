// Own tokens as text: minted, found by their address, recognized by their digest, distinguished from other spellings.
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { anyCodePoint } from '../../../testkit/parsers/hostile-inputs.ts'
import { importJWK, jwtVerify } from 'jose'
import { type AccessTokenClaims, actorClaim, makeTokenId } from '../../src/domain/ledger/claims.ts'
import { DEPTH_MAX } from '../../src/domain/ledger/lineage.ts'
import type { IntrospectionClaims } from '../../src/domain/ledger/introspection.ts'
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../../api/values/algorithms.ts'
import type { SigningKey } from '../../src/domain/keys/signing-key.ts'
import { ALGORITHMS } from '../../src/keys/tokens/signing-algorithms.ts'
import { makeSigningKey, makeSigningKeyMaker } from '../../src/keys/tokens/signing-keys.ts'
import { makeTokenCodec } from '../../src/keys/tokens/token-codec.ts'
import assert from 'node:assert/strict'
import * as fc from 'fast-check'

const ISSUER = 'https://mintmark.test'
const KEY_ENCRYPTION_KEY = Buffer.alloc(32, 7)
const ISSUED_AT = 1_795_000_000_123
const codec = makeTokenCodec({ issuer: ISSUER, keyEncryptionKey: KEY_ENCRYPTION_KEY })
const makeKey = (): SigningKey => ({ ...makeSigningKey(KEY_ENCRYPTION_KEY), number: 1 })
const key = makeKey()

const claimsOf = (changed: Partial<AccessTokenClaims> = {}): AccessTokenClaims => ({
  iss: ISSUER,
  sub: '6f1c1a52-4f7e-4c1f-9d7b-0a8a3d1f2b3c',
  aud: ISSUER,
  client_id: 'agent-1',
  iat: 1_795_000_000,
  exp: 1_795_000_300,
  jti: makeTokenId(ISSUED_AT, Buffer.alloc(10, 9)),
  scope: 'db:read',
  seq: 4,
  credential_id: '46b7cf5e-6ad4-4f9c-8d3b-1f6f8a0b7c11',
  ...changed,
})

const mint = (claims: AccessTokenClaims, signingKey = key): { token: string; digest: string } => {
  const [minted] = codec.mint([claims], signingKey)
  assert.ok(minted)
  return minted
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)
const CLAIMS = claimsOf()

/** A signature that has another spelling in the alphabet of base64: one in fifteen has not. */
const mintReporting = (): { token: string; digest: string } => {
  for (;;) {
    const minted = mint(CLAIMS)
    if (/[-_]/.test(minted.token.split('.')[2] ?? '')) return minted
  }
}

const { token: TOKEN, digest: DIGEST } = mintReporting()
const [H = '', P = '', S = ''] = TOKEN.split('.')
const REFERENCE = { id: CLAIMS.jti, lifetimeSeconds: 300, digest: DIGEST }

test('a minted token is an RFC 9068 JWT that jose verifies under the published key', async () => {
  const { payload, protectedHeader } = await jwtVerify(TOKEN, await importJWK(key.publicJwk), {
    issuer: ISSUER,
    audience: ISSUER,
    typ: 'at+jwt',
    algorithms: ['ES256'],
    currentDate: new Date(ISSUED_AT),
  })
  assert.deepEqual(protectedHeader, { alg: 'ES256', kid: key.publicJwk.kid, typ: 'at+jwt' })
  assert.deepEqual(payload, CLAIMS)
})

test('what a token says of its key is read with its address, and nothing else is taken for a key', () => {
  const thumbprint = '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I'
  for (const cnf of [{ jkt: thumbprint }, { 'x5t#S256': thumbprint }]) {
    const bound = mint(claimsOf({ cnf }))
    assert.deepEqual(codec.read(bound.token), { id: CLAIMS.jti, lifetimeSeconds: 300, digest: bound.digest, cnf })
    assert.deepEqual(codec.readLenient(`${bound.token} `)?.cnf, cnf)
  }
  const both = { jkt: thumbprint, 'x5t#S256': thumbprint }
  for (const cnf of [null, 'x', 7, {}, [], { jkt: 7 }, { jkt: null }, { jwk: {} }, { x5t: thumbprint }, both]) {
    const { token, digest } = mint({ ...CLAIMS, cnf } as AccessTokenClaims)
    assert.deepEqual(codec.read(token), { ...REFERENCE, digest })
  }
})

test('a group of claims is minted in its order, each token its own', () => {
  const group = ['a:b', 'c:d', 'e:f'].map(scope => claimsOf({ scope }))
  const payloads = codec.mint(group, key).map(one => Buffer.from(one?.token.split('.')[1] ?? '', 'base64url'))
  assert.deepEqual(
    payloads.map((payload): unknown => JSON.parse(payload.toString())),
    group,
  )
})

test('more signing keys than are kept open sign each with their own', async () => {
  const keys = Array.from({ length: 10 }, makeKey)
  for (const one of [...keys, ...keys]) assert.ok(await codec.isSignedBy(mint(CLAIMS, one).token, one.publicJwk))
})

test('a key sealed under another key-encryption key does not sign', () => {
  const foreign = { ...makeSigningKey(Buffer.alloc(32, 8)), number: 2 }
  assert.throws(() => codec.mint([CLAIMS], foreign), /is sealed under the key-encryption key/)
})

// Of an imported client and an imported key; JSON writes each backslash as two.
const [LONGEST_CLIENT_ID, LONGEST_KID] = ['\\'.repeat(255), '\\'.repeat(128)]
/** 2048 bytes of JSON. */
const OWN = { 'a:b': 'x'.repeat(2038) }
const AGENT_ID = '6f1c1a52-4f7e-4c1f-9d7b-0a8a3d1f2b3c'

/** What the deepest token says of its lineage. */
const delegated: Partial<AccessTokenClaims> = {
  credential_id: AGENT_ID,
  lineage: Array.from({ length: DEPTH_MAX }, () => ({
    id: CLAIMS.jti,
    exp: CLAIMS.exp,
    seq: 2 ** 53 - 1,
    agent_id: AGENT_ID,
    credential_id: AGENT_ID,
    kid: LONGEST_KID,
  })),
}
const act = actorClaim(Array.from({ length: DEPTH_MAX }, () => AGENT_ID))

const makeLongest = (alg: SigningAlgorithm) => {
  const iss = `https://${'i'.repeat(504)}`
  const longest = makeTokenCodec({ issuer: iss, keyEncryptionKey: KEY_ENCRYPTION_KEY })
  const aud = Array.from({ length: 8 }, () => `https://${'a'.repeat(504)}`)
  const cnf = { 'x5t#S256': 'j'.repeat(43) }
  const scope = `${'s'.repeat(1022)}:a`
  const claims = claimsOf({ iss, aud, scope, client_id: LONGEST_CLIENT_ID, seq: 2 ** 53 - 1, cnf })
  const maker = makeSigningKeyMaker(KEY_ENCRYPTION_KEY, alg)
  const imported = maker.read(ALGORITHMS[alg].make().privateKey.export({ format: 'jwk' }), LONGEST_KID)
  assert.ok('publicJwk' in imported)
  const signing = { ...imported, number: 2 }
  return {
    mint: (more: Partial<AccessTokenClaims> = {}) => longest.mint([{ ...claims, ...more }], signing)[0]?.token,
    read: (token: string | undefined) => longest.read(token ?? ''),
    expected: [CLAIMS.jti, cnf],
  }
}

for (const alg of SIGNING_ALGORITHMS) {
  const { mint: mintLongest, read, expected } = makeLongest(alg)

  test(`a token at every limit of scope, audience, client id and kid is still short enough to be read: ${alg}`, () => {
    const { id, cnf } = read(mintLongest()) ?? {}
    assert.deepEqual([id, cnf], expected)
    const { ownClaims } = read(mintLongest({ own: OWN, credential_id: AGENT_ID })) ?? {}
    assert.equal(ownClaims, alg === 'ML-DSA-65' ? undefined : JSON.stringify(OWN))
  })

  test(`the deepest one at every limit is short enough too, or it is not minted: ${alg}`, () => {
    const deepest = mintLongest({ ...delegated, ...(act !== undefined && { act }) })
    assert.equal(mintLongest({ ...delegated, own: OWN }), undefined)
    if (alg === 'ML-DSA-65') return assert.equal(deepest, undefined)
    const { id, cnf } = read(deepest) ?? {}
    return assert.deepEqual([id, cnf], expected)
  })
}

test('a token too long to be read again is not minted, and the others of its group are', () => {
  const [long, short] = codec.mint([claimsOf({ scope: 'x'.repeat(20_000) }), CLAIMS], key)
  assert.deepEqual([long, short === undefined], [undefined, false])
})

test('reading a token gives the address in it and the digest of its exact text', () => {
  assert.deepEqual(DIGEST, digestOf(TOKEN))
  assert.deepEqual(codec.read(TOKEN), REFERENCE)
  assert.deepEqual(codec.readLenient(TOKEN), REFERENCE)
})

test('claims are signed in the order in which they are looked for, in whatever order they come', () => {
  const turned = Object.fromEntries(Object.entries(CLAIMS).toReversed()) as AccessTokenClaims // the same members
  assert.equal(mint(turned).token.split('.')[1], P)
})

test('a claim that holds the text of an address is not taken for one', () => {
  const posing = `","iat":1,"exp":2,"jti":"${CLAIMS.jti}","`
  const { token, digest } = mint(claimsOf({ sub: posing, client_id: posing, aud: [posing, posing] }))
  assert.deepEqual(codec.read(token), { ...REFERENCE, digest })
})

test('the signature is no part of the address: another one gives another digest', () => {
  const forged = `${H}.${P}.${Buffer.alloc(64, 1).toString('base64url')}`
  assert.deepEqual(codec.read(forged), { ...REFERENCE, digest: digestOf(forged) })
})

for (const [name, changed] of Object.entries({
  'another issuer': { iss: `${ISSUER}/` },
  'a jti that is no UUIDv7': { jti: '6f1c1a52-4f7e-4c1f-9d7b-0a8a3d1f2b3c' },
  'a jti in capital letters': { jti: CLAIMS.jti.toUpperCase() },
  'an iat that is not the time in its jti': { iat: CLAIMS.iat + 1 },
  'a lifetime of nothing': { exp: CLAIMS.iat },
  'a lifetime above the greatest': { exp: CLAIMS.iat + 86_401 },
  'an iat that is not a number': { iat: `${CLAIMS.iat}` as unknown as number },
  'an exp that is no integer': { exp: CLAIMS.exp + 0.5 },
})) {
  test(`a token with ${name} cannot be ours`, () => {
    const { token } = mint(claimsOf(changed))
    assert.equal(codec.read(token), undefined)
    assert.equal(codec.readLenient(token), undefined)
  })
}

const twinOf = (signature: string): string => {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const bytes = Buffer.from(signature, 'base64url')
  const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`)
  const twin = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex')
  return Buffer.concat([bytes.subarray(0, 32), twin]).toString('base64url')
}

const lastCharacters = 'AQgw'
const surplus = S.slice(0, -1) + String.fromCharCode(S.charCodeAt(S.length - 1) + 1)

const OTHER_SPELLINGS: Readonly<Record<string, string>> = {
  padding: `${TOKEN}==`,
  'half the padding': `${TOKEN}=`,
  'surplus bits': `${H}.${P}.${surplus}`,
  'the alphabet of base64': `${H}.${P}.${S.replaceAll('-', '+').replaceAll('_', '/')}`,
  'white space in the signature': `${H}.${P}.${S.slice(0, 9)} \n${S.slice(9)}`,
  'n−s for s': `${H}.${P}.${twinOf(S)}`,
  'n−s for s, padded, in white space': `\n ${H}.${P}.${twinOf(S)}==\t`,
}

for (const [name, spelled] of Object.entries(OTHER_SPELLINGS)) {
  test(`a revocation recognizes a token spelled with ${name}`, async () => {
    assert.ok(lastCharacters.includes(S.slice(-1)))
    assert.deepEqual(codec.readLenient(spelled), { ...REFERENCE, digest: digestOf(spelled.trim()) })
    assert.ok(await codec.isSignedBy(spelled, key.publicJwk))
  })
}

test('a token in white space is, for a revocation, the token itself', () => {
  for (const around of [' ', '\r\n', '\t', '\uFEFF']) {
    assert.deepEqual(codec.readLenient(around + TOKEN + around), REFERENCE)
    assert.equal(codec.read(around + TOKEN), undefined)
    assert.equal(codec.read(TOKEN + around), undefined)
  }
})

for (const [name, text] of Object.entries({
  'padding in the header': `${H}=.${P}.${S}`,
  'padding in the payload': `${H}.${P}=.${S}`,
  'a space in the header': `${H} .${P}.${S}`,
  'a space in the payload': `${H}.${P.slice(0, 5)} ${P.slice(5)}.${S}`,
  'a fourth part': `${TOKEN}.${S}`,
  'an asterisk in the signature': `${H}.${P}.${S}*`,
  'an asterisk before the signature': `${H}.${P}.*${S}`,
  'no signature': `${H}.${P}.`,
})) {
  test(`no revocation takes a token with ${name} for ours`, async () => {
    assert.equal(codec.readLenient(text), undefined)
    assert.equal(await codec.isSignedBy(text, key.publicJwk), false)
  })
}

for (const [name, text] of Object.entries({
  'another payload': `${H}.${mint(claimsOf({ seq: 5 })).token.split('.')[1] ?? ''}.${S}`,
  'another header': `${Buffer.from('{"alg":"ES256"}').toString('base64url')}.${P}.${S}`,
  'a signature of nothing but zeros': `${H}.${P}.${Buffer.alloc(64).toString('base64url')}`,
  'a signature one byte short': `${H}.${P}.${Buffer.from(S, 'base64url').subarray(0, 63).toString('base64url')}`,
  'a signature one byte long': `${H}.${P}.${S}AA`,
})) {
  test(`a token with ${name} is not signed by the key`, async () => {
    assert.equal(await codec.isSignedBy(text, key.publicJwk), false)
  })
}

test('what the key signed under another typ is not signed as a token, whatever it claims', async () => {
  const claims = CLAIMS as unknown as IntrospectionClaims
  const [text = ''] = codec.signIntrospections([claims], key)
  assert.equal(text.split('.')[1], P)
  assert.deepEqual(JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString()), {
    alg: 'ES256',
    kid: key.publicJwk.kid,
    typ: 'token-introspection+jwt',
  })
  assert.equal(await codec.isSignedBy(text, key.publicJwk), false)
  assert.equal(await codec.isSignedBy(TOKEN, key.publicJwk), true)
  assert.notEqual(codec.read(text)?.digest, DIGEST)
})

test('a token is not signed by another key', async () => {
  assert.equal(await codec.isSignedBy(TOKEN, makeKey().publicJwk), false)
})

test('whatever the text, reading it gives a reference or nothing, and never throws', async () => {
  const mutation = fc.tuple(fc.nat(TOKEN.length), fc.string({ unit: anyCodePoint, maxLength: 4 }))
  const mutated = mutation.map(([at, junk]) => TOKEN.slice(0, at) + junk + TOKEN.slice(at + junk.length))
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: anyCodePoint }), mutated), async text => {
      await codec.isSignedBy(text, key.publicJwk)
      codec.readLenient(text)
      const reference = codec.read(text)
      assert.ok(reference === undefined || reference.digest === digestOf(text))
    }),
    { numRuns: 300 },
  )
})
