// The parsers of keys, tokens, certificates and secrets (server/src/keys and what checks their claims).
import { checkAssertionClaims } from '../../server/src/domain/clients/client-assertion.ts'
import { parsePbkdf2, secretFormOf } from '../../server/src/domain/import/foreign-hash.ts'
import {
  addressReader,
  confirmationIn,
  formatClaims,
  makeTokenId,
  ownClaimsIn,
} from '../../server/src/domain/ledger/claims.ts'
import { checkProofClaims } from '../../server/src/domain/ledger/dpop.ts'
import { readPrivateKey } from '../../server/src/keys/at-rest/read-private-key.ts'
import { parseKeyEncryptionKey } from '../../server/src/keys/at-rest/sealed-bytes.ts'
import { opensBcrypt } from '../../server/src/keys/clients/bcrypt.ts'
import { makeClientAssertions } from '../../server/src/keys/clients/client-assertions.ts'
import { clientCertificates } from '../../server/src/keys/clients/client-certificates.ts'
import { Malformed, readElements, readObjectIdentifier } from '../../server/src/keys/clients/der.ts'
import { makeDpopProofs } from '../../server/src/keys/clients/dpop-proofs.ts'
import { readRegisteredKeys } from '../../server/src/keys/clients/registered-keys.ts'
import { makeSecrets } from '../../server/src/keys/clients/secrets.ts'
import { operatorRole } from '../../server/src/keys/providers/identity-providers.ts'
import { nameIn, tokensOf } from '../../server/src/keys/providers/provider-answers.ts'
import {
  bareMembersOf,
  parseMemberKey,
  parseProviderAlgorithm,
  parseProviderKey,
} from '../../server/src/keys/providers/provider-key.ts'
import { rsaWeakness } from '../../server/src/keys/providers/rsa-strength.ts'
import { isJsonObject } from '../../packages/verify/src/readers/json.ts'
import {
  decodeCanonical,
  readProvablePayload,
  makeTokenCodec,
  makeTokenReader,
} from '../../server/src/keys/tokens/token-codec.ts'
import { readCompactJws } from '../../server/src/keys/verify-signature.ts'
import { makeSigningKey } from '../../server/src/keys/tokens/signing-keys.ts'
import { keySetsBy } from '../identity-providers/key-sets.ts'
import { makeProof, makeProofKey, signParts } from '../keys/dpop.ts'
import { der, generateKeys, makeCertificate, objectIdentifier } from '../keys/make-certificate.ts'
import { TIMING } from '../../server/src/ports/timing.ts'
import { type Good, ofJson, type Parser, parsersIn, refusesBy } from './parser.ts'
import fc from 'fast-check'

const ISSUER = 'https://mintmark.test'
const KEY = Buffer.alloc(32, 7)
const NOW = 1_795_000_000_000
const SECOND = NOW / 1000

const signingKey = { ...makeSigningKey(KEY), number: 1 }
const codec = makeTokenCodec({ issuer: ISSUER, keyEncryptionKey: KEY })
const reader = makeTokenReader(ISSUER)

const claims: fc.Arbitrary<Parameters<typeof formatClaims>[0]> = fc
  .tuple(fc.integer({ min: 1, max: 86_400 }), fc.string({ unit: 'grapheme-ascii', maxLength: 20 }))
  .map(([lifetime, client]) => ({
    iss: ISSUER,
    sub: 'a',
    aud: ISSUER,
    client_id: client,
    iat: SECOND,
    exp: SECOND + lifetime,
    jti: makeTokenId(NOW, Buffer.alloc(10, 9)),
    scope: 'db:read',
    seq: 4,
    credential_id: '46b7cf5e-6ad4-4f9c-8d3b-1f6f8a0b7c11',
    own: { tenant_id: client },
    cnf: { jkt: 'j'.repeat(43) },
  }))

const token: fc.Arbitrary<Good> = claims.map(one => ({ input: codec.mint([one], signingKey)[0]?.token ?? '' }))

const payload: fc.Arbitrary<Good> = claims.map(one => ({
  input: formatClaims(one),
  value: { id: one.jti, lifetimeSeconds: one.exp - one.iat },
}))

const proofKey = makeProofKey()
const proofClaims = { htm: 'POST', htu: `${ISSUER}/oauth/token`, iat: SECOND, jti: 'a' }
const proofs = makeDpopProofs(KEY)
const proof = fc.constant({ input: makeProof(proofKey, { claims: proofClaims }) })

const assertions = makeClientAssertions({ timing: TIMING, keySets: keySetsBy(fetch, () => 0), monotonicNow: () => 0 })
const assertionClaims = { iss: 'a', sub: 'a', aud: ISSUER, exp: SECOND + 60, jti: 'a' }
const assertion = fc.constant({
  input: signParts(proofKey, JSON.stringify({ alg: proofKey.alg }), JSON.stringify(assertionClaims)),
})
const TRUST = { kind: 'private_key_jwt', jwks: null, jwksUri: null, takesTokenEndpoint: false } as const

const certificate = makeCertificate({
  names: [
    [0x82, 'a.example'],
    [0x87, Buffer.from([192, 0, 2, 1])],
  ],
})
const RSA = generateKeys('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
const PRIVATE = generateKeys('ec', { namedCurve: 'P-256' }).privateKey

const jwk: fc.Arbitrary<Good> = fc.constantFrom<object>(proofKey.jwk, RSA).map(one => ({
  input: JSON.stringify({ ...one, kid: 'a' }),
}))

const secrets = makeSecrets({ bytes: count => Buffer.alloc(count, 3) })

const PBKDF2 = `$pbkdf2-sha256$i=1000,l=32$${'A'.repeat(22)}$${'A'.repeat(43)}`
/** A hash of the lowest cost: a higher one takes seconds. */
const BCRYPT = `$2b$04$${'A'.repeat(21)}.${'A'.repeat(30)}.`

const bytes = fc.uint8Array({ maxLength: 40 })

const signatures = parsersIn('server/src/keys/verify-signature.ts')
const codecs = parsersIn('server/src/keys/tokens/token-codec.ts')
const elements = parsersIn('server/src/keys/clients/der.ts')
const certificates = parsersIn('server/src/keys/clients/client-certificates.ts')
const providerKeys = parsersIn('server/src/keys/providers/provider-key.ts')
const answers = parsersIn('server/src/keys/providers/provider-answers.ts')
const hashes = parsersIn('server/src/domain/import/foreign-hash.ts')
const claimsTexts = parsersIn('server/src/domain/ledger/claims.ts')
const privateKeys = parsersIn('server/src/keys/at-rest/read-private-key.ts')

const readAddress = addressReader(ISSUER)

const strengthOf = (value: unknown): unknown => {
  const key = parseProviderKey(value)?.read()
  return key !== undefined && 'key' in key ? (rsaWeakness(key.key) ?? 'strong') : undefined
}

export const KEY_PARSERS: readonly Parser[] = [
  codecs.ofText(
    {
      name: 'decodeCanonical',
      good: bytes.map(one => ({ input: Buffer.from(one).toString('base64url'), value: Buffer.from(one) })),
    },
    decodeCanonical,
  ),
  codecs.ofText({ name: 'readProvablePayload', good: token }, readProvablePayload),
  signatures.ofText({ name: 'readCompactJws', good: token }, readCompactJws),
  codecs.ofText({ name: 'makeTokenReader read', good: token }, reader.read),
  codecs.ofText({ name: 'makeTokenReader readLenient', good: token }, reader.readLenient),
  codecs.ofText({ name: 'makeTokenReader classify', good: token }, text => {
    const classified = reader.classify(text)
    return typeof classified === 'object' && classified.isExact ? classified.reference : undefined
  }),
  claimsTexts.ofText({ name: 'addressReader', good: payload }, readAddress),
  claimsTexts.ofText(
    { name: 'confirmationIn', good: payload.map(({ input }) => ({ input, value: { jkt: 'j'.repeat(43) } })) },
    confirmationIn,
  ),
  claimsTexts.ofText(
    {
      name: 'ownClaimsIn',
      good: claims.map(one => ({ input: formatClaims(one), value: JSON.stringify(one.own) })),
    },
    ownClaimsIn,
  ),
  parsersIn('server/src/keys/clients/dpop-proofs.ts').ofText({ name: 'makeDpopProofs read', good: proof }, text =>
    proofs.read(text),
  ),
  parsersIn('server/src/domain/ledger/dpop.ts').ofText(
    { name: 'checkProofClaims', good: fc.constant({ input: JSON.stringify(proofClaims) }) },
    ofJson(value => isJsonObject(value) && checkProofClaims(value, `${ISSUER}/oauth/token`, NOW)),
  ),
  parsersIn('server/src/keys/clients/client-assertions.ts').ofText(
    { name: 'makeClientAssertions read', good: assertion },
    text => assertions.read(text),
  ),
  parsersIn('server/src/domain/clients/client-assertion.ts').ofText(
    { name: 'checkAssertionClaims', good: fc.constant({ input: JSON.stringify(assertionClaims) }) },
    ofJson(value => isJsonObject(value) && checkAssertionClaims(value, TRUST, { issuer: ISSUER, now: NOW })),
  ),
  elements.ofBytes(
    { name: 'readElements', good: bytes.map(one => ({ input: Buffer.from(der(0x04, one)) })) },
    refusesBy(Malformed, readElements),
  ),
  elements.ofBytes(
    {
      name: 'readObjectIdentifier',
      good: fc.array(fc.nat(0x0f_ff_ff), { maxLength: 4 }).map(arcs => {
        const value = ['2.5', ...arcs].join('.')
        return { input: Buffer.from(objectIdentifier(value)), value }
      }),
    },
    refusesBy(Malformed, (one: Buffer) => readElements(one).map(readObjectIdentifier)[0]),
  ),
  certificates.ofBytes(
    { name: 'clientCertificates read', good: fc.constant({ input: Buffer.from(certificate.der) }) },
    one => clientCertificates.read(one),
  ),
  certificates.ofText({ name: 'clientCertificates readPem', good: fc.constant({ input: certificate.cert }) }, text =>
    clientCertificates.readPem(text),
  ),
  certificates.ofText(
    {
      name: 'clientCertificates pin',
      good: fc.constant({ input: certificate.cert, value: { thumbprint: certificate.thumbprint } }),
    },
    text => clientCertificates.pin(text),
  ),
  providerKeys.ofText({ name: 'parseProviderKey', good: jwk }, ofJson(parseProviderKey)),
  providerKeys.ofText(
    { name: 'parseProviderKey read', good: jwk },
    ofJson(one => parseProviderKey(one)?.read()),
  ),
  providerKeys.ofText(
    { name: 'parseMemberKey', good: jwk },
    ofJson(one => parseMemberKey(one)),
  ),
  providerKeys.ofText(
    { name: 'bareMembersOf', good: jwk },
    ofJson(one => bareMembersOf(one) ?? undefined),
  ),
  providerKeys.ofText(
    { name: 'parseProviderAlgorithm', good: fc.constant({ input: 'EdDSA', value: 'Ed25519' }) },
    parseProviderAlgorithm,
  ),
  parsersIn('server/src/keys/providers/rsa-strength.ts').ofText({ name: 'rsaWeakness', good: jwk }, ofJson(strengthOf)),
  parsersIn('server/src/keys/clients/registered-keys.ts').ofText(
    { name: 'readRegisteredKeys', good: jwk.map(({ input }) => ({ input: `[${String(input)}]` })) },
    ofJson(value => Array.isArray(value) && readRegisteredKeys(value)),
  ),
  parsersIn('server/src/keys/providers/identity-providers.ts').ofText(
    { name: 'operatorRole', good: fc.constant({ input: '{"role":"a, admin ,b"}', value: 'admin' }) },
    ofJson(
      value =>
        (isJsonObject(value) &&
          operatorRole(value, { roleClaim: 'role', roles: { admin: 'admin' }, roleSeparator: 'comma' })) ??
        undefined,
    ),
  ),
  parsersIn('server/src/keys/clients/secrets.ts').ofText(
    { name: 'makeSecrets kindOf', good: fc.constant({ input: secrets.makeApiKey(), value: 'api_key' }) },
    text => secrets.kindOf(text),
  ),
  parsersIn('server/src/keys/at-rest/sealed-bytes.ts').ofText(
    {
      name: 'parseKeyEncryptionKey',
      good: fc.uint8Array({ minLength: 32, maxLength: 32 }).map(one => ({
        input: Buffer.from(one).toString('base64'),
        value: Buffer.from(one),
      })),
    },
    parseKeyEncryptionKey,
  ),
  privateKeys.ofText(
    {
      name: 'readPrivateKey of PEM',
      good: fc.constant({ input: PRIVATE.export({ format: 'pem', type: 'pkcs8' }) }),
    },
    text => readPrivateKey(text, null, 'ES256'),
  ),
  privateKeys.ofText(
    {
      name: 'readPrivateKey of JWK',
      good: fc.constant({ input: JSON.stringify(PRIVATE.export({ format: 'jwk' })) }),
    },
    ofJson(value => isJsonObject(value) && readPrivateKey(value, null, 'ES256')),
  ),
  answers.ofText(
    {
      name: 'tokensOf',
      good: fc.integer({ min: 1, max: 1e9 }).map(exp => ({
        input: `e30.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.s`,
        value: exp * 1000,
      })),
    },
    // 0 is the expiry of what says none.
    jwt => tokensOf({ access_token: jwt, token_type: 'bearer' }, { earlier: null, now: 0 }).expiresAt || undefined,
  ),
  answers.ofText(
    {
      name: 'nameIn',
      good: fc.constant({ input: '{"name":"\\u0000","email":"ada@example.com"}', value: 'ada@example.com' }),
    },
    ofJson(value => (isJsonObject(value) && nameIn(value)) || undefined),
  ),
  hashes.ofText({ name: 'parsePbkdf2', good: fc.constant({ input: PBKDF2 }) }, parsePbkdf2),
  hashes.ofText({ name: 'secretFormOf', good: fc.constant({ input: BCRYPT, value: 'hash' }) }, secretFormOf),
  // A good hash of a high cost takes seconds, so it is verified by a thread that refuses it first by secretFormOf.
  parsersIn('server/src/keys/clients/bcrypt.ts').ofText(
    { name: 'opensBcrypt', good: fc.constant({ input: BCRYPT }) },
    hash => secretFormOf(hash) !== 'hash' || opensBcrypt('secret', hash) || 'another',
  ),
]
