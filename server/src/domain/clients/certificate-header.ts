// Which header of a proxy holds the certificate of its client, as an operator says it.

/**
 * A byte sequence between colons (RFC 9440 §2.2); PEM, percent-encoded, as nginx's $ssl_client_escaped_cert; DER in
 * base64; Envoy's X-Forwarded-Client-Cert, with the pair Cert.
 */
export const CERTIFICATE_FORMS = ['rfc9440', 'pem', 'base64', 'xfcc'] as const

export type CertificateForm = (typeof CERTIFICATE_FORMS)[number]

export type CertificateHeader = {
  /** In lower case. */
  readonly name: string
  readonly form: CertificateForm
  /** Whether the proxies pass on only what an authority vouches for. */
  readonly isVerified: boolean
  /** Networks as address/bits: from no other peer is the header taken. */
  readonly proxies: readonly string[]
}
