// Whether a request came with the certificate that a token is bound to (RFC 8705 §3).
import { base64url } from 'jose'
import { encodeDigest, sha256 } from './digest.ts'

/** DER, or PEM with one certificate or more, of which the first is the caller's. */
export type Certificate = Uint8Array | string

export const CERTIFICATE_BYTES_MAX = 65_536
const BEGIN = '-----BEGIN CERTIFICATE-----'
const END = '-----END CERTIFICATE-----'
/** With the white space of RFC 7468 §3: `\s` has more. */
const BASE64 = /^[A-Za-z0-9+/= \t\n\v\f\r]+$/

/** What stands between the first marks of PEM; undefined where that is no base64. */
const insideOf = (pem: string): string | undefined => {
  const from = pem.indexOf(BEGIN)
  const to = from < 0 ? -1 : pem.indexOf(END, from)
  const inside = to < 0 ? '' : pem.slice(from + BEGIN.length, to)
  return BASE64.test(inside) ? inside : undefined
}

const derOf = (certificate: Certificate): Uint8Array<ArrayBuffer> | undefined => {
  if (certificate.length > CERTIFICATE_BYTES_MAX) return undefined
  if (typeof certificate !== 'string') return new Uint8Array(certificate)
  const base64 = insideOf(certificate)
  if (base64 === undefined) return undefined
  const text = base64.replaceAll(/[\s=]/g, '').replaceAll('+', '-').replaceAll('/', '_')
  return new Uint8Array(base64url.decode(text))
}

/** SHA-256 of its DER in base64url; undefined for what is no certificate. */
export const thumbprintOf = async (certificate: Certificate): Promise<string | undefined> => {
  try {
    const der = derOf(certificate)
    return der === undefined || der.length === 0 ? undefined : encodeDigest(await sha256(der))
  } catch {
    return undefined
  }
}
