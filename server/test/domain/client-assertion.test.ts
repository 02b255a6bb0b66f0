// The claims of client assertions and of workloads' tokens, at the edge of every limit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAssertionClaims } from '../../src/domain/clients/client-assertion.ts'
import {
  type AssertionTrust,
  isAssertionTrust,
  isCertificateTrust,
  keyPlaceOf,
  trustDomainOf,
  trustRecord,
  type WorkloadTrust,
} from '../../src/domain/clients/client-trust.ts'

const ISSUER = 'https://mintmark.example'
const NOW = 1_700_000_000
const KEYS: AssertionTrust & { readonly kind: 'private_key_jwt' } = {
  kind: 'private_key_jwt',
  jwks: [],
  jwksUri: null,
  takesTokenEndpoint: false,
}
const WORKLOAD: WorkloadTrust = {
  kind: 'workload_identity',
  issuer: 'https://k8s.example',
  subject: 'system:*',
  audience: null,
  jwksUri: 'https://k8s.example/keys',
}
const CLAIMS = { aud: ISSUER, exp: NOW + 60, jti: 'one' }

const check = (claims: object, trust: AssertionTrust = KEYS, ms = 0) =>
  checkAssertionClaims({ ...CLAIMS, ...claims }, trust, { issuer: ISSUER, now: 1000 * NOW + ms })

const wrong = (claims: object, trust: AssertionTrust = KEYS, ms = 0) => {
  const checked = check(claims, trust, ms)
  return 'wrong' in checked ? checked.wrong : undefined
}

test('an assertion may be used once, until its expiry and a minute for clocks have passed', () => {
  assert.deepEqual(check({}), { jti: 'one', until: 1000 * (NOW + 120) - 1 })
  assert.deepEqual(check({ exp: NOW + 0.5 }), { jti: 'one', until: 1000 * NOW + 60_500 - 1 })
  assert.deepEqual(check({ exp: NOW + 0.0001 }), { jti: 'one', until: 1000 * NOW + 60_001 - 1 })
  assert.deepEqual(check({ jti: undefined }, WORKLOAD), { jti: null, until: 1000 * (NOW + 120) - 1 })
})

test('exp is a time that has not passed, and not too far away', () => {
  for (const exp of [undefined, null, '1', Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.equal(wrong({ exp }), 'exp is missing or not a time')
  }
  assert.equal(wrong({ exp: NOW - 60 }), 'it has expired')
  assert.equal(wrong({ exp: NOW - 59 }), undefined)
  assert.equal(wrong({ exp: NOW - 60 }, KEYS, -1), undefined)
  assert.equal(wrong({ exp: NOW + 3600 }), undefined)
  assert.equal(wrong({ exp: NOW + 3601 }), 'exp is more than 3600 s away')
  assert.equal(wrong({ exp: NOW + 86_400 }, WORKLOAD), undefined)
  assert.equal(wrong({ exp: NOW + 86_401 }, WORKLOAD), 'exp is more than 86400 s away')
})

test('nbf and iat are times and do not lie in the future, where they are there', () => {
  for (const name of ['nbf', 'iat']) {
    assert.equal(wrong({ [name]: NOW + 60 }), undefined)
    assert.equal(wrong({ [name]: NOW + 61 }), `${name} lies in the future`)
    assert.equal(wrong({ [name]: 'x' }), `${name} is not a time`)
    assert.equal(wrong({ [name]: null }), `${name} is not a time`)
    assert.equal(wrong({ [name]: undefined }), undefined)
  }
  assert.equal(wrong({ nbf: NOW, iat: NOW + 61 }), 'iat lies in the future')
})

test('aud is this service alone', () => {
  for (const aud of [undefined, 'https://other.example', [ISSUER], [ISSUER, 'x'], `${ISSUER}/`]) {
    assert.equal(wrong({ aud }), 'aud is not this service', String(aud))
  }
  const endpoint = 'aud is the token endpoint, which its credential was not registered for (accept_token_endpoint)'
  assert.equal(wrong({ aud: `${ISSUER}/oauth/token` }), endpoint)
  const both = { ...KEYS, takesTokenEndpoint: true }
  assert.equal(wrong({ aud: `${ISSUER}/oauth/token` }, both), undefined)
  assert.equal(wrong({}, both), undefined)
  assert.equal(wrong({ aud: `${ISSUER}/oauth/revoke` }, both), 'aud is not this service')
  assert.equal(wrong({ aud: [ISSUER] }, WORKLOAD), undefined)
  assert.equal(wrong({ aud: [ISSUER, ISSUER] }, WORKLOAD), 'aud is not this service')
  assert.equal(wrong({ aud: [] }, WORKLOAD), 'aud is not this service')
  const named = { ...WORKLOAD, audience: 'mintmark' }
  assert.equal(wrong({ aud: 'mintmark' }, named), undefined)
  assert.equal(wrong({}, named), 'aud is not this service')
})

test("a workload's token that is bound to a key is refused: it comes without a proof of that key", () => {
  const bound = 'it is bound to a key (cnf): send one that is bound to none'
  for (const cnf of [{ jkt: 'x' }, { 'x5t#S256': 'x' }, {}, null]) assert.equal(wrong({ cnf }, WORKLOAD), bound)
})

test('jti is 1 to 256 characters', () => {
  for (const jti of [undefined, '', 1, 'x'.repeat(257)]) assert.equal(wrong({ jti }), 'jti is not 1 to 256 characters')
  assert.equal(wrong({ jti: 'x'.repeat(256) }), undefined)
})

const SUBJECT = { kind: 'tls_client_auth', by: 'san_dns', name: 'a.example' } as const
const PINNED = { kind: 'self_signed_tls_client_auth', thumbprints: ['t'] } as const

test('a credential trusts keys, a workload or certificates, and is shown so', () => {
  assert.deepEqual([KEYS, WORKLOAD, SUBJECT, PINNED].map(isAssertionTrust), [true, true, false, false])
  assert.deepEqual([KEYS, WORKLOAD, SUBJECT, PINNED].map(isCertificateTrust), [false, false, true, true])
  assert.deepEqual(keyPlaceOf({ ...KEYS, jwks: null, jwksUri: 'u' }), { jwks: null, jwksUri: 'u', issuer: null })
  assert.deepEqual(keyPlaceOf(WORKLOAD), { jwks: null, jwksUri: WORKLOAD.jwksUri, issuer: WORKLOAD.issuer })
  assert.deepEqual(trustRecord(null), { kind: 'client_secret' })
  assert.deepEqual(trustRecord({ ...KEYS, jwks: [{ kty: 'EC' }] }), {
    kind: 'private_key_jwt',
    private_key_jwt: { jwks: { keys: [{ kty: 'EC' }] }, accept_token_endpoint: false },
  })
  assert.deepEqual(trustRecord({ ...KEYS, jwks: null, jwksUri: 'u', takesTokenEndpoint: true }), {
    kind: 'private_key_jwt',
    private_key_jwt: { jwks_uri: 'u', accept_token_endpoint: true },
  })
  assert.deepEqual(trustRecord(SUBJECT), { kind: SUBJECT.kind, tls_client_auth: { san_dns: 'a.example' } })
  assert.deepEqual(trustRecord(PINNED), { kind: PINNED.kind, self_signed_tls_client_auth: { thumbprints: ['t'] } })
  const { issuer, subject, audience, jwksUri } = WORKLOAD
  assert.deepEqual(trustRecord(WORKLOAD), {
    kind: 'workload_identity',
    workload_identity: { issuer, subject, audience, jwks_uri: jwksUri },
  })
})

test('the trust domain of a SPIFFE id is what stands before its path', () => {
  assert.equal(trustDomainOf('spiffe://prod.example/ns/a'), 'spiffe://prod.example')
  assert.equal(trustDomainOf('spiffe://a-b_c.9'), 'spiffe://a-b_c.9')
  for (const text of ['', 'spiffe://', 'spiffe:///a', ' spiffe://a', 'https://a', 'spiffe://A']) {
    assert.equal(trustDomainOf(text), undefined, text)
  }
})
