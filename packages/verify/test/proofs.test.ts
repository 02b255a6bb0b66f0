// Tokens that are bound to a key or a certificate: accepted only from who holds it (RFC 9449 §7, RFC 8705 §3).
import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { makeProofKey } from '../../../testkit/keys/dpop.ts'
import { CERTIFICATE } from '../../../testkit/keys/loopback-certificate.ts'
import { CERTIFICATE_BYTES_MAX } from '../src/proofs/certificate.ts'
import { PROOF_AHEAD_SECONDS_MAX } from '../src/proofs/dpop.ts'
import { makeProofMemory } from '../src/proofs/replays.ts'
import { PROOF_AGE_SECONDS_MAX, PROOF_CHARACTERS_MAX } from '../src/readers/proof-claims.ts'
import { makeRuntime, refusalOf, usePublisher, verifierOf, verifyAs } from './fixtures.ts'
import { ADDRESS, proofOf, thumbprint } from './proofs.ts'
import { startPublisher } from '../../../testkit/feed/reference-publisher.ts'
import type { Verifier } from '../src/verifier.ts'
import { WEB_RUNTIME } from '../src/wire/runtime.ts'

const publisher = usePublisher()
const key = makeProofKey()
const request = { method: 'GET', url: ADDRESS }

const bound = async (): Promise<string> => publisher.mint({ cnf: { jkt: await thumbprint(key) } }).token

for (const alg of ['ES256', 'Ed25519', 'EdDSA', 'RS256', 'PS256']) {
  test(`a proof under ${alg} is accepted, for each request one`, async t => {
    const verifier = verifierOf(t, publisher, { mode: 'offline' })
    const own = makeProofKey(alg)
    const { token } = publisher.mint({ cnf: { jkt: await thumbprint(own) } })
    for (let n = 0; n < 2; n += 1) {
      assert.equal(await verifyAs(verifier, token, { dpop: { ...request, proof: proofOf(own, token) } }), 'signature')
    }
  })
}

const now = (): number => Math.floor(Date.now() / 1000)

const PROOFS: Readonly<Record<string, readonly [refusal: string, proof: (token: string) => string | undefined]>> = {
  'no proof': ['bad_proof', () => undefined],
  'an empty one': ['bad_proof', () => ''],
  'two of them': ['bad_proof', token => `${proofOf(key, token)}, ${proofOf(key, token)}`],
  'the token itself': ['bad_proof', token => token],
  'another method': ['bad_proof', token => proofOf(key, token, { claims: { htm: 'POST' } })],
  'another address': ['bad_proof', token => proofOf(key, token, { claims: { htu: `${ADDRESS}/1` } })],
  'another host': ['bad_proof', token => proofOf(key, token, { claims: { htu: 'https://other.example/v1/orders' } })],
  'no address': ['bad_proof', token => proofOf(key, token, { claims: { htu: undefined } })],
  'another token': ['bad_proof', token => proofOf(key, `${token}x`)],
  'no ath': ['bad_proof', token => proofOf(key, token, { claims: { ath: undefined } })],
  'too old': ['bad_proof', token => proofOf(key, token, { claims: { iat: now() - PROOF_AGE_SECONDS_MAX - 2 } })],
  'from the future': [
    'bad_proof',
    token => proofOf(key, token, { claims: { iat: now() + PROOF_AHEAD_SECONDS_MAX + 2 } }),
  ],
  'no time': ['bad_proof', token => proofOf(key, token, { claims: { iat: String(now()) } })],
  'an exp that has passed': ['bad_proof', token => proofOf(key, token, { claims: { exp: now() } })],
  'no jti': ['bad_proof', token => proofOf(key, token, { claims: { jti: '' } })],
  'a jti too long': ['bad_proof', token => proofOf(key, token, { claims: { jti: 'j'.repeat(257) } })],
  'another typ': ['bad_proof', token => proofOf(key, token, { header: { typ: 'JWT' } })],
  'alg none': ['bad_proof', token => proofOf(key, token, { header: { alg: 'none' } })],
  'alg of another kind': ['bad_proof', token => proofOf(key, token, { header: { alg: 'RS256' } })],
  'an alg that only the prototype has': ['bad_proof', token => proofOf(key, token, { header: { alg: 'constructor' } })],
  'no key': ['bad_proof', token => proofOf(key, token, { header: { jwk: undefined } })],
  'a private key': ['bad_proof', token => proofOf(key, token, { header: { jwk: { ...key.jwk, d: 'x' } } })],
  'an extension': ['bad_proof', token => proofOf(key, token, { header: { crit: ['x'], x: 1 } })],
  'another key': ['wrong_key', token => proofOf(makeProofKey(), token)],
  'the key of the token, signed by another': [
    'bad_proof',
    token => proofOf({ ...makeProofKey(), jwk: key.jwk }, token),
  ],
  'too long': ['bad_proof', token => proofOf(key, token, { claims: { more: 'x'.repeat(PROOF_CHARACTERS_MAX) } })],
}

for (const [what, [refusal, makeProof]] of Object.entries(PROOFS)) {
  test(`a proof is refused: ${what}`, async t => {
    const verifier = verifierOf(t, publisher, { mode: 'offline' })
    const token = await bound()
    const result = await verifier.verify(token, { dpop: { ...request, proof: makeProof(token) } })
    assert.equal(refusalOf(result), refusal)
    assert.match((!result.ok && result.challenge) || '', /^DPoP error="invalid_(?:dpop_proof|token)", .*algs="ES256 /)
  })
}

/** As it was sent, and as the proof claims it. */
const ADDRESSES: readonly (readonly [url: string, htu: string, expected: string])[] = [
  [`${ADDRESS}?page=2`, 'HTTPS://API.example:443/v1/./orders?a=b#c', 'signature'],
  [`${ADDRESS}?q=a|"<\\`, ADDRESS, 'signature'],
  [`${ADDRESS}/%7E`, `${ADDRESS}/~`, 'signature'],
  [`${ADDRESS}/~`, `${ADDRESS}/%7e`, 'signature'],
  [`${ADDRESS}/%c3%a9`, `${ADDRESS}/%C3%A9`, 'signature'],
  [`${ADDRESS}/%61`, `${ADDRESS}/a`, 'signature'],
  [`${ADDRESS}/a|b`, `${ADDRESS}/a|b`, 'signature'],
  [`${ADDRESS}/%2F`, `${ADDRESS}//`, 'bad_proof'],
  // What a router takes for another route than URL does.
  ['https://api.example/admin/../v1/orders', ADDRESS, 'bad_proof'],
  ['https://api.example/admin/%2E%2e/v1/orders', ADDRESS, 'bad_proof'],
  ['https://api.example/v1/orders/.', `${ADDRESS}/`, 'bad_proof'],
  ['https://api.example/admin\\..\\v1/orders', ADDRESS, 'bad_proof'],
  ['https://api.example/v1/or\tders', ADDRESS, 'bad_proof'],
  ['', '', 'bad_proof'],
]

for (const [url, htu, expected] of ADDRESSES) {
  test(`a proof for ${htu}, with a request for ${JSON.stringify(url)}: ${expected}`, async t => {
    const verifier = verifierOf(t, publisher, { mode: 'offline' })
    const token = await bound()
    const proof = proofOf(key, token, { claims: { htu } })
    assert.equal(await verifyAs(verifier, token, { dpop: { ...request, url, proof } }), expected)
  })
}

test('a proof is accepted once, and one that was refused is not used up', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const token = await bound()
  const proof = proofOf(key, token)
  assert.equal(await verifyAs(verifier, token, { dpop: { ...request, method: 'POST', proof } }), 'bad_proof')
  const both = await Promise.all([1, 2].map(() => verifyAs(verifier, token, { dpop: { ...request, proof } })))
  assert.deepEqual(both.toSorted(), ['replayed_proof', 'signature'])
  assert.equal(await verifyAs(verifier, token, { dpop: { ...request, proof } }), 'replayed_proof')
})

test('a bound token without a proof is refused, and so is a bearer token by the scheme DPoP', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const result = await verifier.verify(await bound())
  assert.equal(refusalOf(result), 'wrong_scheme')
  assert.match((!result.ok && result.challenge) || '', /^DPoP error="invalid_token"/)
  const { token } = publisher.mint()
  assert.equal(await verifyAs(verifier, token, { dpop: { ...request, proof: proofOf(key, token) } }), 'wrong_scheme')
})

test('a store of proofs of one’s own decides; where it fails nothing is accepted', async t => {
  const token = await bound()
  for (const [answer, expected] of [
    ['first', 'signature'],
    ['again', 'replayed_proof'],
    ['full', 'proofs_unavailable'],
  ] as const) {
    const verifier = verifierOf(t, publisher, { mode: 'offline', proofs: async () => answer })
    assert.equal(await verifyAs(verifier, token, { dpop: { ...request, proof: proofOf(key, token) } }), expected)
  }
  const broken = verifierOf(t, publisher, { mode: 'offline', proofs: () => Promise.reject(new Error('down')) })
  assert.equal(
    await verifyAs(broken, token, { dpop: { ...request, proof: proofOf(key, token) } }),
    'proofs_unavailable',
  )
  assert.equal(broken.status().failures, 1)
})

test('a proof without htm is none, and a request whose method is not given is a mistake of the program', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const token = await bound()
  const { method: _, ...rest } = request
  const proof = proofOf(key, token, { claims: { htm: undefined } })
  assert.equal(await verifyAs(verifier, token, { dpop: { ...request, proof } }), 'bad_proof')
  assert.equal(await verifyAs(verifier, token, { dpop: { ...rest, proof } as never }), 'misuse')
})

test('a token whose key goes, or whose time ends, while the store of proofs is waited for is not accepted', async t => {
  const own = await startPublisher()
  t.after(() => own.close())
  const { token } = own.mint({ cnf: { jkt: await thumbprint(key) } })
  for (const [meanwhile, expected] of [
    [runtime => runtime.pass(1_000_000), 'expired'],
    [(_, { close }) => close(), 'closed'],
    [() => void (own.keys = [{ ...own.keys[0], kid: 'next' }]), 'keys_unavailable'],
  ] satisfies readonly [(runtime: ReturnType<typeof makeRuntime>, verifier: Verifier) => void, string][]) {
    const runtime = makeRuntime()
    const proofs = async (): Promise<'first'> => {
      meanwhile(runtime, verifier)
      await verifier.verify(own.mint({}, { kid: 'unknown' }).token)
      return 'first'
    }
    const verifier = verifierOf(t, own, { mode: 'offline', runtime, proofs })
    assert.equal(await verifyAs(verifier, token, { dpop: { ...request, proof: proofOf(key, token) } }), expected)
  }
})

test('a store of proofs that hangs is given up, and one that answers something else accepts nothing', async t => {
  const token = await bound()
  const runtime = { ...WEB_RUNTIME, after: (ms: number, call: () => void) => WEB_RUNTIME.after(ms / 100, call) }
  for (const answer of [new Promise<'first'>(() => {}), Promise.resolve(undefined as unknown as 'first')]) {
    const verifier = verifierOf(t, publisher, { mode: 'offline', runtime, proofs: () => answer })
    const dpop = { ...request, proof: proofOf(key, token) }
    assert.equal(await verifyAs(verifier, token, { dpop }), 'proofs_unavailable')
  }
})

const proof = (clientId: string, jti: string) => ({ clientId, jkt: `key ${jti} of ${clientId}`, jti, until: 60_000 })

test('the memory of proofs is bounded in all and for each client, whatever its keys, and forgets what is too old', () => {
  const memory = makeProofMemory({ proofsMax: 3, ofOneClientMax: 2 })
  assert.deepEqual(
    [memory(proof('a', '1'), 0), memory(proof('a', '2'), 0), memory(proof('a', '3'), 0)],
    ['first', 'first', 'full'],
  )
  assert.deepEqual([memory(proof('b', '1'), 0), memory(proof('b', '2'), 0)], ['first', 'full'])
  assert.deepEqual([memory(proof('b', '1'), 60_000), memory(proof('b', '2'), 60_001)], ['again', 'first'])
})

const der = new X509Certificate(CERTIFICATE).raw
const x5t = createHash('sha256').update(der).digest('base64url')

test('a token that is bound to a certificate passes with it, in DER or PEM, and with no other', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const { token } = publisher.mint({ cnf: { 'x5t#S256': x5t } })
  for (const certificate of [CERTIFICATE, CERTIFICATE.replaceAll('\n', '\r\n'), new Uint8Array(der)]) {
    assert.equal(await verifyAs(verifier, token, { certificate }), 'signature')
  }
  const others = [
    undefined,
    '',
    'PEM',
    new Uint8Array(),
    new Uint8Array(der).fill(0, 100, 101),
    x5t,
    'x'.repeat(CERTIFICATE_BYTES_MAX + 1),
  ]
  for (const certificate of others) {
    const asked = certificate === undefined ? {} : { certificate }
    assert.equal(await verifyAs(verifier, token, asked), 'wrong_certificate')
  }
  assert.equal(await verifyAs(verifier, publisher.mint().token, { certificate: CERTIFICATE }), 'signature')
})
