// The check of an operator's signature: what verified once is known for that text and that key, and for nothing else.
import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { test } from 'node:test'
import { type CompactJws, readCompactJws } from '../../src/keys/compact-jws.ts'
import { makeSignatureCheck } from '../../src/keys/provider-signature.ts'

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

const makePair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const { publicKey, privateKey } = makePair()
const JWS = signed({ sub: 'operator-1' }, privateKey)

test('a JWT that passed once passes again', async () => {
  const isSignedWith = makeSignatureCheck()
  for (let n = 0; n < 3; n += 1) assert.equal(await isSignedWith(JWS, publicKey), true)
})

test('beside a JWT that passed, other claims, another signature and another header are refused, again and again', async () => {
  const isSignedWith = makeSignatureCheck()
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
  const isSignedWith = makeSignatureCheck()
  assert.equal(await isSignedWith(JWS, publicKey), true)
  assert.equal(await isSignedWith(JWS, makePair().publicKey), false)
  assert.equal(await isSignedWith(JWS, publicKey), true)
})

test('more JWTs than are remembered pass, each as often as it is sent, and a forged one among them does not', async () => {
  const isSignedWith = makeSignatureCheck()
  for (let n = 0; n < 1002; n += 1) assert.equal(await isSignedWith(signed({ n }, privateKey), publicKey), true)
  assert.equal(await isSignedWith(JWS, publicKey), true)
  assert.equal(await isSignedWith(signed({ n: 1 }, makePair().privateKey), publicKey), false)
})
