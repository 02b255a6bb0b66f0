// What certificates of clients say, by certificates that the test writes byte by byte.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { canonicalName, parseName } from '../../../api/values/distinguished-name.ts'
import { clientCertificates } from '../../src/keys/clients/client-certificates.ts'
import { CERTIFICATE } from '../../../testkit/keys/loopback-certificate.ts'
import { C, CN, makeCertificate, O, OU, type Subject } from '../../../testkit/keys/make-certificate.ts'

const canonical = (text: string): string => {
  const name = parseName(text)
  assert.ok(name !== undefined)
  return canonicalName(name)
}

const subjectOf = (subject: Subject): readonly string[] | undefined =>
  clientCertificates.read(makeCertificate({ subject }).der)?.names.subject_dn

const PRINTABLE = 0x13
const BMP = 0x1e
const TELETEX = 0x14

const SUBJECTS: Readonly<Record<string, readonly [Subject, string]>> = {
  'the order of the encoding, reversed in the text': [[[[C, 'DE']], [[O, 'b']], [[CN, 'a']]], 'CN=a,O=b,C=DE'],
  'several attributes in one part, in either order': [
    [
      [[O, 'b']],
      [
        [CN, 'a'],
        [OU, 'x'],
      ],
    ],
    'CN=a+OU=x,O=b',
  ],
  'another string type': [[[[O, 'b', PRINTABLE]], [[CN, Buffer.from('\0a\0\u00e9', 'latin1'), BMP]]], 'CN=a\u00e9,O=b'],
  'characters that a text escapes': [[[[CN, 'a,O=b+"\\\n']]], 'CN=a\\,O=b\\+\\"\\\\\\0A'],
  'a type without a name': [[[['1.3.6.1.4.1.311.60.2.1.3', 'DE']]], '1.3.6.1.4.1.311.60.2.1.3=DE'],
}

for (const [what, [subject, text]] of Object.entries(SUBJECTS)) {
  test(`the subject is the name of its text: ${what}`, () => assert.deepEqual(subjectOf(subject), [canonical(text)]))
}

test('one part that looks like two is one, and so is a line break that OpenSSL would print as two lines', () => {
  assert.notDeepEqual(subjectOf([[[CN, 'a,O=b']]]), [canonical('CN=a,O=b')])
  assert.notDeepEqual(subjectOf([[[CN, 'a\nO=b']]]), [canonical('O=b,CN=a')])
})

test('an empty subject, and one of a string type whose characters are in doubt, are the name of nobody', () => {
  assert.deepEqual(subjectOf([]), [])
  assert.deepEqual(subjectOf([[[CN, 'a', TELETEX]]]), [])
  // OpenSSL takes no certificate with such a text at all.
  assert.equal(subjectOf([[[CN, Buffer.of(0xff)]]]), undefined)
})

test('alternative names are read each by its kind, in one spelling; what is none of its kind is left out', () => {
  const certificate = makeCertificate({
    names: [
      [0x81, 'Ada@Example.org'],
      [0x82, 'Reports.Example.org'],
      [0x82, '*.example.org'],
      [0x82, 'a.example, DNS:b.example'],
      [0x86, 'spiffe://example.org/reports'],
      [0x87, Buffer.of(192, 0, 2, 7)],
      [0x87, Buffer.from('20010db8000000000000000000000001', 'hex')],
      [0x87, Buffer.of(1, 2, 3)],
    ],
  })
  const read = clientCertificates.read(certificate.der)
  assert.deepEqual(read?.names, {
    subject_dn: [canonical('CN=client')],
    san_dns: ['reports.example.org'],
    san_uri: ['spiffe://example.org/reports'],
    san_ip: ['192.0.2.7', '2001:db8::1'],
    san_email: ['Ada@example.org'],
  })
  assert.equal(read?.thumbprint, certificate.thumbprint)
})

test('a certificate whose alternative names are no strict DER has no name at all, and is a certificate still', () => {
  const certificate = makeCertificate({
    names: [
      [0x82, 'a.example'],
      [0x9f, 'x'],
    ],
  })
  const read = clientCertificates.read(certificate.der)
  assert.equal(read?.thumbprint, certificate.thumbprint)
  assert.deepEqual(Object.values(read?.names ?? {}), [[], [], [], [], []])
})

test('times are those of the certificate, to the second', () => {
  const [notBefore, notAfter] = [Date.UTC(2020, 1, 3, 4, 5, 6), Date.UTC(2060, 6, 7, 8, 9, 10)]
  const read = clientCertificates.read(makeCertificate({ notBefore, notAfter }).der)
  assert.deepEqual([read?.notBefore, read?.notAfter], [notBefore, notAfter])
})

test('PEM is one certificate and nothing else', () => {
  const { cert, key, thumbprint } = makeCertificate()
  assert.equal(clientCertificates.readPem(cert)?.thumbprint, thumbprint)
  assert.equal(clientCertificates.readPem(`\n${cert.replaceAll('\n', '\r\n')}\r\n`)?.thumbprint, thumbprint)
  assert.ok(clientCertificates.readPem(CERTIFICATE) !== undefined)
  for (const text of ['', 'x', key, cert + cert, cert + key, `x${cert}`, cert.replace('CERTIFICATE', 'TRUSTED')]) {
    assert.equal(clientCertificates.readPem(text), undefined, text)
  }
})

test('a text that is nearly PEM is recognized as such, however long it is', () => {
  // Where the time grew with the square of the length these would not end.
  const [begin, end] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----']
  const blanks = ' \n'.repeat(500_000)
  for (const text of [
    begin + blanks,
    `${begin}${blanks}x${end}`,
    `${begin}${blanks}.`,
    blanks + begin,
    begin.repeat(40_000),
  ]) {
    assert.equal(clientCertificates.readPem(text), undefined)
  }
  const { cert, thumbprint } = makeCertificate()
  assert.equal(clientCertificates.readPem(cert.replace(begin, begin + blanks) + blanks)?.thumbprint, thumbprint)
})

test('DER is one certificate and nothing else, and PEM is no DER', () => {
  const certificate = makeCertificate()
  const bytes = Buffer.from(certificate.der)
  for (const wrong of [
    Buffer.alloc(0),
    Buffer.of(0x30, 0),
    Buffer.from(certificate.cert),
    Buffer.concat([bytes, Buffer.of(0)]),
    Buffer.concat([bytes, bytes]),
    bytes.subarray(0, -1),
    Buffer.alloc(4096, 0x30),
  ]) {
    assert.equal(clientCertificates.read(wrong), undefined)
  }
})

test('whatever bytes are changed, reading never throws, and what is read is not the same certificate', () => {
  const certificate = makeCertificate({ names: [[0x82, 'a.example']] })
  for (let n = 0; n < 2000; n += 1) {
    const bytes = Buffer.from(certificate.der)
    const [at, by] = [randomInt(bytes.length), 1 + randomInt(255)]
    bytes[at] = ((bytes[at] ?? 0) + by) % 256
    const read = clientCertificates.read(bytes)
    assert.notEqual(read?.thumbprint, certificate.thumbprint, `byte ${at} changed by ${by}`)
  }
})
