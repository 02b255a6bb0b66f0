// Configuration of callers: their limits, the proxies that say where a request came from, and their certificates, which come in a header
// set by proxies or by the service's own TLS.
import { makeSettingReader, type SettingReader } from './reader.ts'
import { SETTINGS } from './settings/settings.ts'
import type { CertificateHeader } from '../domain/clients/certificate-header.ts'

const readLimits = (read: SettingReader) => {
  const perClient = read.value('MINTMARK_FAILED_AUTH_PER_CLIENT')
  const perAddress = read.value('MINTMARK_FAILED_AUTH_PER_ADDRESS')
  const max = read.value('MINTMARK_CONNECTIONS_MAX')
  const ofAddressDefault = Math.min(Number(SETTINGS.MINTMARK_CONNECTIONS_PER_ADDRESS.fallback), max)
  const ofAddress = read.orElse('MINTMARK_CONNECTIONS_PER_ADDRESS', String(ofAddressDefault))
  return {
    /** A minute: of one client from one address, and from one address; null: no such limit. */
    failedAuthentications: { perClient, perAddress },
    /** At once: in all, and from one address. */
    connections: { max, perAddress: ofAddress },
  }
}

export type LimitsConfig = ReturnType<typeof readLimits>

/** The limits of a service whose environment sets none. */
export const defaultLimits = (): LimitsConfig => readLimits(makeSettingReader({}))

export type ClientCertificatesConfig = {
  readonly header: CertificateHeader | null
  /** Null where no certificates are requested. `authorities` is PEM; null: certificates are not verified. */
  readonly listener: { readonly authorities: string | null } | null
}

export const NO_CLIENT_CERTIFICATES: ClientCertificatesConfig = { header: null, listener: null }

const HEADER_VARIABLES = [
  'MINTMARK_TRUSTED_PROXIES',
  'MINTMARK_CLIENT_CERT_HEADER',
  'MINTMARK_CLIENT_CERT_CHAIN',
] as const

const readHeader = (read: SettingReader, proxies: readonly string[]): CertificateHeader | null => {
  const header = read.value('MINTMARK_CLIENT_CERT_HEADER')
  const chain = read.value('MINTMARK_CLIENT_CERT_CHAIN')
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
  const authorities = read.value('MINTMARK_TLS_CLIENT_CA_FILE')
  const hasAuthorities = read.isSet('MINTMARK_TLS_CLIENT_CA_FILE')
  const asks = read.orElse('MINTMARK_TLS_CLIENT_CERTS', hasAuthorities ? 'request' : 'off')
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
const readClientCertificates = (read: SettingReader, proxies: readonly string[]): ClientCertificatesConfig => ({
  header: readHeader(read, proxies),
  listener: readListener(read),
})

/** `trustedProxies`: networks, each as address/bits. */
export const readCallers = (read: SettingReader) => {
  const trustedProxies = read.value('MINTMARK_TRUSTED_PROXIES') ?? []
  return { trustedProxies, clientCertificates: readClientCertificates(read, trustedProxies), limits: readLimits(read) }
}
