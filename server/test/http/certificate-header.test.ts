// The forms in which proxies hand on a client certificate, and what is none of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CertificateForm } from '../../../packages/verify/src/readers/certificate-header.ts'
import { readCertificateHeader } from '../../src/http/wire/source.ts'
import { clientCertificates } from '../../src/keys/clients/client-certificates.ts'
import { makeCertificate } from '../../../testkit/keys/make-certificate.ts'

/** Chance decides whether the base64 of a certificate has a character that base64url spells otherwise; this one's has. */
const makeReporting = (): ReturnType<typeof makeCertificate> => {
  const made = makeCertificate()
  return Buffer.from(made.der).toString('base64').includes('+') ? made : makeReporting()
}

const certificate = makeReporting()
const base64 = Buffer.from(certificate.der).toString('base64')
const escaped = encodeURIComponent(certificate.cert)

const read = (form: CertificateForm, value: string): string | undefined =>
  readCertificateHeader(clientCertificates, form, value)?.thumbprint

const GOOD: Readonly<Record<CertificateForm, readonly string[]>> = {
  rfc9440: [`:${base64}:`],
  pem: [
    escaped,
    // Amazon's load balancers leave these as they are.
    certificate.cert.replaceAll('\n', '%0A').replaceAll(' ', '%20'),
  ],
  base64: [base64],
  xfcc: [
    `Hash=${'a'.repeat(64)};Cert="${escaped}";Subject="CN=client,O=\\"x\\"";URI=spiffe://example.org/a`,
    `Cert="${escaped}"`,
    `By=x;Cert=${escaped};Chain="${escaped}"`,
  ],
}

const BAD: Readonly<Record<CertificateForm, readonly string[]>> = {
  rfc9440: [base64, `:${base64}`, `:${base64}:;a=1`, `:${base64}:, :${base64}:`, '::', ':x:', `"${base64}"`, escaped],
  pem: [certificate.cert.slice(0, 40), base64, `${escaped}${escaped}`, '%', '%E0%A4%A', '(null)', `${escaped},`],
  base64: [`${base64}A`, base64.slice(4), `${base64},${base64}`, base64.replaceAll('+', '-'), ' ', `:${base64}:`],
  xfcc: [
    'Hash=a',
    '',
    `Cert="${escaped}",Cert="${escaped}"`,
    `Hash=a,Hash=b;Cert="${escaped}"`,
    `Cert="${escaped}";Cert="${escaped}"`,
    `Cert="${escaped}`,
    `Chain="${escaped}"`,
    `Subject="\\";Cert=${escaped}`,
  ],
}

for (const form of ['rfc9440', 'pem', 'base64', 'xfcc'] as const) {
  test(`the form ${form} is read, and nothing else is`, () => {
    for (const value of GOOD[form]) assert.equal(read(form, value), certificate.thumbprint, value)
    for (const value of BAD[form]) assert.equal(read(form, value), undefined, value)
  })
}

test('a quotation mark in the subject of a certificate begins no other pair', () => {
  const other = encodeURIComponent(makeCertificate().cert)
  const value = `Subject="CN=\\";Cert=${other};x=\\"";Cert="${escaped}"`
  assert.equal(read('xfcc', value), certificate.thumbprint)
})

test('any text at all is refused without a fault, in a moment', () => {
  for (const form of ['rfc9440', 'pem', 'base64', 'xfcc'] as const) {
    for (const text of ['a=', ';', '"', '\\', ':', '%41', 'Cert="', 'A']) {
      assert.equal(read(form, text.repeat(16_000)), undefined)
    }
  }
})
