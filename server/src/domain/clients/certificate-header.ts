// Configuration of the header in which a proxy forwards the certificate of its client.

/**
 * A byte sequence between colons (RFC 9440 §2.2); PEM, percent-encoded, as nginx's $ssl_client_escaped_cert; DER in
 * base64; Envoy's X-Forwarded-Client-Cert, with the pair Cert.
 */
export const CERTIFICATE_FORMS = ['rfc9440', 'pem', 'base64', 'xfcc'] as const

export type CertificateForm = (typeof CERTIFICATE_FORMS)[number]

export type CertificateHeader = {
  /** The name of the header in lower case. */
  readonly name: string
  readonly form: CertificateForm
  /** Whether the proxies forward only certificates with a verified chain. */
  readonly isVerified: boolean
  /** Networks as address/bits: the header is accepted from no other peer. */
  readonly proxies: readonly string[]
}
