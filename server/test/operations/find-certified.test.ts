// Which of a client's credentials trusts a certificate: one that lives, wherever it stands among those that do not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Credential } from '../../src/domain/clients/agent.ts'
import type { CertificateTrust, PresentedCertificate } from '../../src/domain/clients/client-certificate.ts'
import type { ClientTrust } from '../../src/domain/clients/client-trust.ts'
import { findCertified } from '../../src/operations/authentication/recognize-client.ts'

const NOW = 1_000_000

const presented: PresentedCertificate = {
  thumbprint: 'own',
  names: { subject_dn: [], san_dns: ['reports.example'], san_uri: [], san_ip: [], san_email: [] },
  weakness: null,
  notBefore: 0,
  notAfter: 2 * NOW,
  isVerified: true,
}

const named: CertificateTrust = { kind: 'tls_client_auth', by: 'san_dns', name: 'reports.example' }
const pinned: CertificateTrust = { kind: 'self_signed_tls_client_auth', thumbprints: ['another', 'own'] }

const credential = (number: number, trust: ClientTrust | null, expiresAt: number | null = null): Credential => ({
  number,
  id: `credential ${number}`,
  secretHash: '',
  isImported: false,
  foreignHash: null,
  trust,
  expiresAt,
})

const found = (...known: readonly Credential[]): number | string => {
  const tried = findCertified(presented, known, NOW)
  return 'found' in tried ? tried.found.number : tried.wrong
}

test('a credential that has expired stands in the way of none, and is none itself', () => {
  assert.equal(found(credential(1, named, NOW), credential(2, named, NOW + 1)), 2)
  assert.equal(found(credential(1, named, NOW), credential(2, pinned)), 2)
  assert.equal(found(credential(1, pinned, NOW)), 'the client has no live credential for certificates')
})

test('secrets, keys and workloads trust no certificate', () => {
  const workload: ClientTrust = {
    kind: 'workload_identity',
    issuer: 'https://ci.example',
    subject: 'reports.example',
    audience: null,
    jwksUri: null,
  }
  const keys: ClientTrust = { kind: 'private_key_jwt', jwks: [], jwksUri: null, takesTokenEndpoint: false }
  const all = [credential(1, null), credential(2, workload), credential(3, keys)]
  assert.equal(found(...all), 'the client has no live credential for certificates')
  assert.equal(found(...all, credential(4, pinned)), 4)
})

test('one that trusts another name says so, and the next is asked', () => {
  const other: CertificateTrust = { ...named, name: 'other.example' }
  assert.equal(found(credential(1, other)), 'the certificate has not the san_dns of the client')
  assert.equal(found(credential(1, other), credential(2, named)), 2)
})
