// Configuration of the source of client certificates: a header set by proxies, or the service's own TLS.
import type { SettingReader } from './reader.ts'
import { parseCertificatesFile, parseOneOf, type Parser } from './values.ts'
import { CERTIFICATE_FORMS } from '../../../packages/verify/src/readers/certificate-header.ts'
import type { CertificateHeader } from '../domain/clients/certificate-header.ts'

export type ClientCertificatesConfig = {
  readonly header: CertificateHeader | null
  /** Null where no certificates are requested. `authorities` is PEM; null: certificates are not verified. */
  readonly listener: { readonly authorities: string | null } | null
}

export const NO_CLIENT_CERTIFICATES: ClientCertificatesConfig = { header: null, listener: null }

const NAME_AND_FORM = /^([A-Za-z0-9-]{1,64}) +(\w+)$/

const parseHeader: Parser<Pick<CertificateHeader, 'name' | 'form'>> = text => {
  const [, name = '', given] = NAME_AND_FORM.exec(text) ?? []
  const form = CERTIFICATE_FORMS.find(one => one === given)
  if (form !== undefined) return { value: { name: name.toLowerCase(), form } }
  const expected = `expected the name of a header, a space and one of ${CERTIFICATE_FORMS.join(', ')}`
  return { wrong: `is ${JSON.stringify(text)}; ${expected}, such as "Client-Cert rfc9440"` }
}

const parseAuthorities = parseCertificatesFile(({ ca }) => ca, 'a PEM file with CA certificates only')

const HEADER_VARIABLES = [
  'MINTMARK_TRUSTED_PROXIES',
  'MINTMARK_CLIENT_CERT_HEADER',
  'MINTMARK_CLIENT_CERT_CHAIN',
] as const

const readHeader = (read: SettingReader, proxies: readonly string[]): CertificateHeader | null => {
  const header = read.optional('MINTMARK_CLIENT_CERT_HEADER', parseHeader)
  const chain = read.optional('MINTMARK_CLIENT_CERT_CHAIN', parseOneOf(['verified', 'unverified']))
  const [hasProxies, ...others] = HEADER_VARIABLES.map(read.isSet)
  // Proxies without such a header say where requests come from, and nothing of certificates.
  if (others.some(one => one) && (hasProxies !== true || others.includes(false))) {
    read.mistake(
      `${HEADER_VARIABLES.join(', ')} belong together; expected all of them, or the trusted proxies alone, or none: the trusted proxies, the name of the header, and whether the proxy verifies certificate chains`,
    )
  }
  if (header === undefined || chain === undefined) return null
  return { ...header, isVerified: chain === 'verified', proxies }
}

const readListener = (read: SettingReader): ClientCertificatesConfig['listener'] => {
  const authorities = read.optional('MINTMARK_TLS_CLIENT_CA_FILE', parseAuthorities)
  const hasAuthorities = read.isSet('MINTMARK_TLS_CLIENT_CA_FILE')
  const fallback = hasAuthorities ? 'request' : 'off'
  const asks = read.orElse('MINTMARK_TLS_CLIENT_CERTS', parseOneOf(['off', 'request']), fallback)
  if (asks === 'off' && hasAuthorities) {
    read.mistake(
      'MINTMARK_TLS_CLIENT_CERTS is off, yet MINTMARK_TLS_CLIENT_CA_FILE is set; expected request, or no file',
    )
  }
  if (!hasAuthorities && asks !== 'request') return null
  if (!read.isSet('MINTMARK_TLS_CERT_FILE')) {
    const name = hasAuthorities ? 'MINTMARK_TLS_CLIENT_CA_FILE' : 'MINTMARK_TLS_CLIENT_CERTS'
    read.mistake(`${name} is set, yet MINTMARK_TLS_CERT_FILE is not; expected TLS of the service itself`)
  }
  return { authorities: authorities ?? null }
}

/** `proxies`: the trusted ones, as networks. */
export const readClientCertificates = (read: SettingReader, proxies: readonly string[]): ClientCertificatesConfig => ({
  header: readHeader(read, proxies),
  listener: readListener(read),
})
