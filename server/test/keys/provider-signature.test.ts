// The check of an operator's signature: what verified once is known for that text and that key, and for nothing else.
import assert from 'node:assert/strict'
import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { test } from 'node:test'
import { type CompactJws, readCompactJws } from '../../src/keys/verify-signature.ts'
import { makeRepeatedSignatureCheck, makeSignatureCheck } from '../../src/keys/providers/provider-key-cache.ts'

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const read = (text: string): CompactJws => {
  const jws = readCompactJws(text)
  assert.ok(jws)
  return jws
}

const signed = (claims: object, privateKey: KeyObject): CompactJws => {
  const input = `${encode({ alg: 'ES256' })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return read(`${input}.${signature.toString('base64url')}`)
}

/** Counts the signatures that are verified, none of which waits. */
const makeCheck = (make = makeRepeatedSignatureCheck) => {
  const counted = { verified: 0 }
  const check = make((_source, verify) => {
    counted.verified += 1
    return verify()
  })
  const isSignedWith = (jws: CompactJws, key: KeyObject): Promise<boolean> => check(jws, 'ES256', key, '192.0.2.1')
  return { counted, isSignedWith }
}

const makePair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const { publicKey, privateKey } = makePair()
const JWS = signed({ sub: 'operator-1' }, privateKey)

test('a JWT that passed once passes again, and is not verified again', async () => {
  const { counted, isSignedWith } = makeCheck()
  for (let n = 0; n < 3; n += 1) assert.equal(await isSignedWith(JWS, publicKey), true)
  assert.equal(counted.verified, 1)
})

test('a JWT that may be sent once is verified each time', async () => {
  const { counted, isSignedWith } = makeCheck(makeSignatureCheck)
  for (let n = 0; n < 3; n += 1) assert.equal(await isSignedWith(JWS, publicKey), true)
  assert.equal(counted.verified, 3)
})

test('beside a JWT that passed, other claims, another signature and another header are refused, again and again', async () => {
  const { isSignedWith } = makeCheck()
  const [header = '', payload = '', signature = ''] = JWS.text.split('.')
  const others = [
    `${header}.${encode({ sub: 'operator-2' })}.${signature}`,
    `${header}.${payload}.${Buffer.alloc(64, 1).toString('base64url')}`,
    `${encode({ alg: 'ES256', typ: 'JWT' })}.${payload}.${signature}`,
  ]
  for (let n = 0; n < 2; n += 1) {
    assert.equal(await isSignedWith(JWS, publicKey), true)
    for (const other of others) assert.equal(await isSignedWith(read(other), publicKey), false)
  }
})

test('what passed under one key is refused under another', async () => {
  const { isSignedWith } = makeCheck()
  assert.equal(await isSignedWith(JWS, publicKey), true)
  assert.equal(await isSignedWith(JWS, makePair().publicKey), false)
  assert.equal(await isSignedWith(JWS, publicKey), true)
})

test('more JWTs than are remembered pass, each as often as it is sent, and a forged one among them does not', async () => {
  const { isSignedWith } = makeCheck()
  for (let n = 0; n < 4002; n += 1) assert.equal(await isSignedWith(signed({ n }, privateKey), publicKey), true)
  assert.equal(await isSignedWith(JWS, publicKey), true)
  assert.equal(await isSignedWith(signed({ n: 1 }, makePair().privateKey), publicKey), false)
})

test('a signature of PS256 has a salt as long as the hash (RFC 7518 §3.5), and one of another length is refused', async () => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const input = `${encode({ alg: 'PS256' })}.${encode({ sub: 'operator-1' })}`
  const check = makeSignatureCheck((_source, verify) => verify())
  for (const [saltLength, isGood] of [
    [32, true],
    [0, false],
    [20, false],
    [64, false],
  ] as const) {
    const padding = constants.RSA_PKCS1_PSS_PADDING
    const signature = sign('sha256', Buffer.from(input), { key: pair.privateKey, padding, saltLength })
    const jws = read(`${input}.${signature.toString('base64url')}`)
    assert.equal(await check(jws, 'PS256', pair.publicKey, '192.0.2.1'), isGood, String(saltLength))
  }
})
