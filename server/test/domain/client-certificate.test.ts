// Names by which a certificate is known: one spelling for each, and what is none of its kind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validityFault } from '../../src/domain/clients/client-certificate.ts'
import type { SubjectKind } from '../../../api/values/credentials.ts'
import { normalSubject } from '../../../api/values/subject-name.ts'

const SAME: readonly (readonly [SubjectKind, string, string])[] = [
  ['san_dns', 'Reports.Example.org', 'reports.example.org'],
  ['san_dns', 'localhost', 'localhost'],
  ['san_uri', 'spiffe://example.org/Reports', 'spiffe://example.org/Reports'],
  ['san_ip', '192.0.2.7', '192.0.2.7'],
  ['san_ip', '2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['san_ip', '::ffff:192.0.2.7', '::ffff:c000:207'],
  ['san_email', 'Ada@Example.ORG', 'Ada@example.org'],
]

for (const [kind, text, normal] of SAME) {
  test(`${text} is the ${kind} ${normal}`, () => assert.equal(normalSubject(kind, text), normal))
}

const NONE: readonly (readonly [SubjectKind, readonly string[]])[] = [
  ['san_dns', ['', '*', '*.example.org', 'a..b', '.a', 'a.', '-a', 'a b', 'exämple.org', 'a\0', 'a'.repeat(64)]],
  ['san_uri', ['', 'example.org', '//example.org', 'spiffe://a b', 'spiffe:', 'spiffe://\u00e9']],
  [
    'san_ip',
    ['', '192.0.2', '192.0.2.07', '192.0.2.256', '192.0.2.7.', '0xc0.0.2.7', '3221225991', '1::2::3', '[::1]'],
  ],
  ['san_ip', ['fe80::1%eth0', 'g::', '192.0.2.7/32', ':', '::1/128']],
  ['san_email', ['', 'ada', '@example.org', 'ada@', 'a@b@c', 'a b@c', 'ädä@example.org', 'ada@[192.0.2.7]']],
]

for (const [kind, texts] of NONE) {
  for (const text of texts) {
    test(`${JSON.stringify(text)} is no ${kind}`, () => assert.equal(normalSubject(kind, text), undefined))
  }
}

test('a certificate is valid from notBefore through the last second, notAfter (RFC 5280 §4.1.2.5)', () => {
  const names = { subject_dn: [], san_dns: [], san_uri: [], san_ip: [], san_email: [] }
  const certificate = { thumbprint: '', names, weakness: null, notBefore: 10_000, notAfter: 20_000 }
  const early = 'the certificate is not valid yet'
  const late = 'the certificate has expired'
  for (const [now, fault] of [
    [9_999, early],
    [10_000, null],
    [20_999, null],
    [21_000, late],
  ] as const) {
    assert.equal(validityFault(certificate, now), fault, `${now}`)
  }
  assert.equal(validityFault({ ...certificate, weakness: 'weak' }, 15_000), 'the key of the certificate is weak')
  assert.equal(validityFault({ ...certificate, notBefore: Number.NaN }, 15_000), early)
  assert.equal(validityFault({ ...certificate, notAfter: Number.NaN }, 15_000), late)
})
