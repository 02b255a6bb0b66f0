// In this folder: strict parsers of untrusted texts, shared by the service and resource servers. Pure, without other packages.
// The certificate of a client in the header of a proxy, in the forms in which proxies write it.

/**
 * A byte sequence between colons (RFC 9440 §2.2); PEM, percent-encoded, as nginx's $ssl_client_escaped_cert; DER in
 * base64; Envoy's X-Forwarded-Client-Cert, with the pair Cert.
 */
export const CERTIFICATE_FORMS = ['rfc9440', 'pem', 'base64', 'xfcc'] as const

export type CertificateForm = (typeof CERTIFICATE_FORMS)[number]

/** DER in base64, or PEM: bytes are for the program to make, which has something for it. */
export type CertificateText = { readonly base64: string } | { readonly pem: string }

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const BEGIN = '-----BEGIN CERTIFICATE-----'

type Parse = (value: string) => CertificateText | undefined

const parseBase64: Parse = value => (value !== '' && BASE64.test(value) ? { base64: value } : undefined)

const parsePem: Parse = value => {
  try {
    const pem = decodeURIComponent(value)
    // Text before it would be that of another hop, or of another form.
    return pem.startsWith(BEGIN) ? { pem } : undefined
  } catch {
    return undefined
  }
}

/** One element of pairs; a comma outside quotation marks would begin that of another hop. */
const XFCC_PAIR = /([A-Za-z]+)=("(?:[^"\\]|\\.)*"|[^",;]*)(;|$)/y

const parseXfcc: Parse = value => {
  const found: string[] = []
  for (let at = 0, isLast = false; !isLast; ) {
    XFCC_PAIR.lastIndex = at
    const [whole = '', name = '', text = '', separator] = XFCC_PAIR.exec(value) ?? []
    if (separator === undefined) return undefined
    if (name.toLowerCase() === 'cert') found.push(text.replace(/^"(.*)"$/s, '$1'))
    at += whole.length
    isLast = separator === ''
  }
  const [only = '', ...others] = found
  return others.length === 0 ? parsePem(only) : undefined
}

const FORMS: Readonly<Record<CertificateForm, Parse>> = {
  rfc9440: value => parseBase64(/^:(.*):$/s.exec(value)?.[1] ?? ''),
  pem: parsePem,
  base64: parseBase64,
  xfcc: parseXfcc,
}

/** The text of a certificate; undefined unless the value is of this form. Whether it is one certificate is for its reader to say. */
export const parseCertificateHeader = (form: CertificateForm, value: string): CertificateText | undefined =>
  FORMS[form](value)
