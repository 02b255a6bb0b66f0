// What the service seals, signs and keeps under keys derived from its key-encryption key, and the keys that clients register.
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { makeReencryption, openFormerSealKey } from '../../src/keys/at-rest/reencryption.ts'
import { auditSealKey, keyEncryptionKeyId, makePlanSigning } from '../../src/keys/at-rest/sealed-bytes.ts'
import { cache } from '../../src/keys/cache.ts'
import { readRegisteredKeys } from '../../src/keys/clients/registered-keys.ts'
import { makeSlots } from '../../src/keys/clients/failed-authentications.ts'
import { makeSessionSecrets } from '../../src/keys/providers/session-secrets.ts'
import { formatRevocations } from '../../src/keys/tokens/token-codec.ts'
import { openSigningKey, sealSigningKey } from '../../src/keys/tokens/signing-keys.ts'

const [ONE, OTHER] = [randomBytes(32), randomBytes(32)]

test('a plan is signed alike by every process with the key, and by no other', () => {
  const [first, second, third] = [ONE, ONE, OTHER].map(makePlanSigning)
  assert.ok(first !== undefined && second !== undefined && third !== undefined)
  assert.equal(first.mac('é'), second.mac('é'))
  assert.notEqual(first.mac('é'), third.mac('é'))
  assert.notEqual(first.mac('a'), first.mac('b'))
  assert.match(first.mac(''), /^[\w-]{43}$/)
  const pairs = [
    ['', ''],
    ['a', 'a'],
    ['a', 'b'],
    ['a', 'ab'],
    ['é', 'e'],
  ] as const
  assert.deepEqual(
    pairs.map(([a, b]) => first.areEqual(a, b)),
    [true, true, false, false, false],
  )
})

test('the tokens of a session and a sign-in that began are opened by the key that sealed them, for that purpose', () => {
  const [secrets, others] = [makeSessionSecrets(ONE), makeSessionSecrets(OTHER)]
  const tokens = { jwt: 'j', refreshToken: null, expiresAt: 100_000, renewFrom: 90_000 }
  const sealed = secrets.tokens.seal(tokens)
  assert.deepEqual(secrets.tokens.open(sealed), tokens)
  assert.equal(others.tokens.open(sealed), undefined)
  // As an earlier version of the program seals them.
  const { renewFrom: _, ...earlier } = tokens
  assert.deepEqual(secrets.tokens.open(secrets.tokens.seal(earlier as never)), { ...tokens, renewFrom: 40_000 })
  const pending = { state: 's', nonce: 'n', verifier: 'v', to: '/', until: 5 }
  const text = secrets.pending.seal(pending)
  assert.match(text, /^[\w-]+$/)
  assert.deepEqual(secrets.pending.open(text), pending)
  assert.equal(others.pending.open(text), undefined)
  assert.equal(secrets.pending.open(''), undefined)
  assert.equal(secrets.pending.open(Buffer.from(sealed).toString('base64url')), undefined)
  assert.equal(secrets.tokens.open(Buffer.from(text, 'base64url')), undefined)
})

test('what one key sealed is sealed under another, and opens there alone', () => {
  const { fromId, toId, signingKey, sealKey, formerSealKey } = makeReencryption(ONE, OTHER)
  assert.deepEqual([fromId, toId], [ONE, OTHER].map(keyEncryptionKeyId))
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const sealed = sealSigningKey(ONE, privateKey, { alg: 'ES256', kid: 'kid' })
  const again = { ...sealed, sealedPrivateKey: signingKey(sealed), keyEncryptionKeyId: toId }
  assert.ok(openSigningKey(OTHER, again).equals(privateKey))
  assert.throws(() => openSigningKey(ONE, again))
  assert.throws(() => signingKey(again))
  const kept = sealKey(7)
  assert.deepEqual(Buffer.from(openFormerSealKey(OTHER, kept, 7) ?? []), Buffer.from(auditSealKey(ONE)))
  assert.equal(openFormerSealKey(OTHER, kept, 8), undefined)
  assert.equal(openFormerSealKey(ONE, kept, 7), undefined)
  const back = makeReencryption(OTHER, ONE)
  const again7 = openFormerSealKey(ONE, back.formerSealKey(kept, 7), 7)
  assert.deepEqual(Buffer.from(again7 ?? []), Buffer.from(auditSealKey(ONE)))
  assert.throws(() => formerSealKey(kept, 7), /The key of the seals up to 7 was changed in the store/)
})

test('a cache keeps what was used last, and makes each value once while it keeps it', () => {
  const made: string[] = []
  const get = cache(2, (key: string) => {
    made.push(key)
    return `${key}!`
  })
  assert.deepEqual(['a', 'b', 'a', 'c', 'a', 'b'].map(get), ['a!', 'b!', 'a!', 'c!', 'a!', 'b!'])
  assert.deepEqual(made, ['a', 'b', 'c', 'b'])
})

test('a text has the same slots each time, under a seed of its own, by its first 512 characters', () => {
  const slots = makeSlots(Buffer.alloc(32), 1000)
  assert.equal(slots('a').length, 1)
  assert.deepEqual(slots('a', 4), slots('a', 4))
  assert.equal(new Set(slots('a', 4)).size, 4)
  assert.deepEqual(slots('a', 4).slice(0, 1), slots('a'))
  assert.notDeepEqual(slots('a', 4), slots('b', 4))
  assert.notDeepEqual(slots('a', 4), makeSlots(Buffer.alloc(32, 1), 1000)('a', 4))
  const long = 'x'.repeat(512)
  assert.deepEqual(slots(`${long}y`, 4), slots(long, 4))
  assert.notDeepEqual(slots(`${long.slice(1)}y`, 4), slots(long, 4))
  for (let n = 0; n < 100; n += 1) assert.ok(slots(String(n), 8).every(slot => slot >= 0 && slot < 1000))
})

test('a document of the feed is JSON with the tails of ids in base64url', () => {
  const marks = { iss: 'i', epoch: 'e', now: 5 }
  const ended = [[7, new Uint8Array([255, 254])]] as const
  const cutOffs = [{ seq: 1, until: 9 }]
  assert.equal(
    formatRevocations({ ...marks, kind: 'changes', from: 1, to: 2, ended, cutOffs }),
    '{"iss":"i","epoch":"e","now":5,"from":1,"to":2,"ended":{"7":"__4"},"cut_offs":[{"seq":1,"until":9}]}',
  )
  assert.equal(
    formatRevocations({ ...marks, kind: 'snapshot', position: 3, segments: [[0, 3]] }),
    '{"iss":"i","epoch":"e","now":5,"position":3,"segments":[[0,3]]}',
  )
})

const publicJwk = (members: object = {}): Record<string, unknown> => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  ...members,
})

test('of a registered key the public members are kept, and nothing that came with them', () => {
  const [first, second] = [publicJwk({ kid: 'a', alg: 'ES256' }), publicJwk({ kid: 'x'.repeat(256) })]
  const read = readRegisteredKeys([{ ...first, use: 'sig', note: 'x', key_ops: ['verify'] }, second])
  assert.deepEqual(read, [first, second])
  const plain = publicJwk()
  assert.deepEqual(readRegisteredKeys([plain]), [plain])
  assert.deepEqual(readRegisteredKeys([]), [])
})

test('a set with a private, odd, weak or repeated key is refused, and what is wrong is said without the key', () => {
  const wrong = (...keys: readonly unknown[]): string => {
    const read = readRegisteredKeys(keys)
    assert.ok('wrong' in read)
    return read.wrong
  }
  const owned = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  assert.equal(
    wrong(publicJwk({ kid: 'a' }), owned),
    'holds a private key, which nobody but its owner may have: make another, and register its public half',
  )
  const odd = /^holds something other than a public key for signatures: .+, with no alg or one of its kind$/
  for (const one of [null, 1, 'x', [], {}, publicJwk({ alg: 'RS256' }), { kty: 'oct', k: 'AAAA' }]) {
    assert.match(wrong(one), /^holds (?:something other|a private)/, JSON.stringify(one))
  }
  assert.match(wrong(null), odd)
  for (const kid of ['', 'x'.repeat(257)]) {
    assert.equal(wrong(publicJwk({ kid })), 'holds a key whose kid is not 1 to 256 characters')
  }
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })
  assert.match(wrong(weak), /^holds a key that is /)
  assert.equal(wrong(publicJwk({ kid: 'a' }), publicJwk({ kid: 'a' })), 'holds two keys with the same kid')
  // Without a kid a key is known by its thumbprint.
  const [one, other] = [publicJwk(), publicJwk()]
  assert.deepEqual(readRegisteredKeys([one, other]), [one, other])
  assert.equal(wrong(one, one), 'holds two keys with the same kid')
})
