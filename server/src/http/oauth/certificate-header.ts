// Reads the client certificate that a proxy wrote into a header, in the forms in which proxies do.
import type { CertificateForm } from '../../domain/clients/certificate-header.ts'
import type { ClientCertificate } from '../../domain/clients/client-certificate.ts'
import type { ClientCertificates } from '../../ports/client-keys.ts'

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

type Read = (certificates: ClientCertificates, value: string) => ClientCertificate | undefined

const readBase64: Read = (certificates, value) =>
  BASE64.test(value) ? certificates.read(Buffer.from(value, 'base64')) : undefined

const readEscapedPem: Read = (certificates, value) => {
  try {
    return certificates.readPem(decodeURIComponent(value))
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** One element of pairs; a comma outside quotation marks would begin that of another hop. */
const XFCC_PAIR = /([A-Za-z]+)=("(?:[^"\\]|\\.)*"|[^",;]*)(;|$)/y

const readXfcc: Read = (certificates, value) => {
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
  return others.length === 0 ? readEscapedPem(certificates, only) : undefined
}

const FORMS: Readonly<Record<CertificateForm, Read>> = {
  rfc9440: (certificates, value) => {
    const base64 = /^:(.*):$/s.exec(value)?.[1]
    return base64 === undefined ? undefined : readBase64(certificates, base64)
  },
  pem: readEscapedPem,
  base64: readBase64,
  xfcc: readXfcc,
}

/** Returns undefined unless the value is one certificate in this form. */
export const readCertificateHeader = (
  certificates: ClientCertificates,
  form: CertificateForm,
  value: string,
): ClientCertificate | undefined => FORMS[form](certificates, value)
