// Test vectors of tokens that are bound to a certificate (RFC 8705 §3).
import { X509Certificate } from 'node:crypto'
import { CERTIFICATE_BYTES_MAX } from '../../packages/verify/src/proofs/certificate.ts'
import type { RefusalCode } from '../../packages/verify/src/refusals.ts'
import { CERTIFICATE } from '../keys/loopback-certificate.ts'
import { resigned } from './forgeries.ts'
import { boundTo, CALLED, sha256 } from './vector-proofs.ts'
import type { AskedOf, Materials, TokenVector } from './vector.ts'

const { raw: DER } = new X509Certificate(CERTIFICATE)

/** A certificate whose signature has another last byte: another certificate. */
const OTHER_DER = Buffer.concat([DER.subarray(0, -1), Buffer.of((DER.at(-1) ?? 0) ^ 1)])
const OTHER = `-----BEGIN CERTIFICATE-----\n${OTHER_DER.toString('base64')}\n-----END CERTIFICATE-----\n`

const insideOf = (change: (base64: string) => string): string => CERTIFICATE.replace(/(?<=-\n)[^-]+(?=-)/, change)

type Asked = Pick<AskedOf, 'certificate' | 'certificate_der' | 'filled_to' | 'scopes' | 'dpop'>

const WRONG = 'wrong_certificate'
const [certificate, full] = [CERTIFICATE, CERTIFICATE_BYTES_MAX]

const ROWS: Readonly<Record<string, readonly [refusal: RefusalCode | null, asked: Asked]>> = {
  'the certificate': [null, { certificate }],
  'the certificate on one line': [null, { certificate: CERTIFICATE.replaceAll('\n', '') }],
  'the certificate with CRLF': [null, { certificate: CERTIFICATE.replaceAll('\n', '\r\n') }],
  'the certificate before another': [null, { certificate: CERTIFICATE + OTHER }],
  'the certificate after another': [WRONG, { certificate: OTHER + CERTIFICATE }],
  'another certificate': [WRONG, { certificate: OTHER }],
  'no certificate': [WRONG, {}],
  'an empty certificate': [WRONG, { certificate: '' }],
  'a text that is no certificate': [WRONG, { certificate: sha256(DER) }],
  'half a certificate': [WRONG, { certificate: CERTIFICATE.slice(0, 200) }],
  'text before the certificate': [null, { certificate: `subject=CN = localhost\n${CERTIFICATE}` }],
  'the other alphabet of base64 in the certificate': [
    WRONG,
    { certificate: insideOf(base64 => base64.replaceAll('+', '-').replaceAll('/', '_')) },
  ],
  'U+00A0 in the certificate': [WRONG, { certificate: insideOf(base64 => base64.replace('\n', '\u00a0')) }],
  'U+001C in the certificate': [WRONG, { certificate: insideOf(base64 => base64.replace('\n', '\u001c')) }],
  'U+0000 in the certificate': [WRONG, { certificate: insideOf(base64 => base64.replace('\n', '\u0000')) }],
  'the certificate of the greatest length allowed': [null, { certificate, filled_to: full }],
  'the certificate with one character too many': [WRONG, { certificate, filled_to: full + 1 }],
  'the certificate in DER': [null, { certificate_der: DER.toString('base64') }],
  'the certificate in DER, and a byte': [
    WRONG,
    { certificate_der: Buffer.concat([DER, Buffer.of(0)]).toString('base64') },
  ],
  'another certificate in DER': [WRONG, { certificate_der: OTHER_DER.toString('base64') }],
  'an empty certificate in DER': [WRONG, { certificate_der: '' }],
  'PEM in the place of DER': [WRONG, { certificate_der: Buffer.from(CERTIFICATE).toString('base64') }],
  'the certificate, and a scope': [null, { certificate, scopes: ['db:read'] }],
  'the certificate, and a scope that the token lacks': ['insufficient_scope', { certificate, scopes: ['db:write'] }],
  'the certificate, by the scheme DPoP': ['wrong_scheme', { certificate, dpop: { ...CALLED, proof: null } }],
}

/** A token that is bound to the certificate of the testkit, and others with it. */
export const certificateRows = ({ genuine, holders: { ES256: holder } }: Materials): readonly TokenVector[] => {
  const token = resigned(genuine, { claims: { cnf: { 'x5t#S256': sha256(DER) } } })
  return [
    ...Object.entries(ROWS).map(([name, [refusal, asked]]) => ({ name, token, ...asked, refusal })),
    { name: 'bound to nothing, with a certificate', token: genuine.text, certificate, refusal: null },
    {
      name: 'bound to a key, with a certificate',
      token: boundTo(genuine, holder.jkt),
      certificate,
      refusal: 'wrong_scheme',
    },
  ]
}
