// Configuration of TLS: a certificate and its key, or neither behind a proxy.
import { createSecureContext } from 'node:tls'
import { placeOf } from './addresses.ts'
import type { SettingReader } from './reader.ts'

/** PEM; null if a proxy terminates TLS. */
export type TlsConfig = { readonly certificate: string; readonly key: string } | null

// The reason why OpenSSL cannot use the two together; undefined if it can.
const flawOfPair = (certificate: string, key: string): string | undefined => {
  try {
    createSecureContext({ cert: certificate, key })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export const readTls = (read: SettingReader, baseUrl: string | undefined): TlsConfig => {
  const certificate = read.value('MINTMARK_TLS_CERT_FILE')
  const key = read.value('MINTMARK_TLS_KEY_FILE')
  if (read.isSet('MINTMARK_TLS_CERT_FILE') !== read.isSet('MINTMARK_TLS_KEY_FILE')) {
    read.mistake(
      'MINTMARK_TLS_CERT_FILE and MINTMARK_TLS_KEY_FILE belong together; expected both, or neither behind a proxy',
    )
  }
  if (certificate === undefined || key === undefined) return null
  read.warnIfOpen('MINTMARK_TLS_KEY_FILE')
  const flaw = flawOfPair(certificate, key)
  if (flaw !== undefined) {
    read.mistake(
      `MINTMARK_TLS_CERT_FILE and MINTMARK_TLS_KEY_FILE cannot be used (${flaw}); expected a certificate and its key, without a passphrase`,
    )
  }
  if (baseUrl?.startsWith('http:')) {
    read.mistake('MINTMARK_BASE_URL is http, yet MINTMARK_TLS_CERT_FILE is set; expected an https base URL')
  }
  return flaw === undefined ? { certificate, key } : null
}

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/

type Listening = {
  readonly host: string
  readonly port: number
  readonly tls: TlsConfig
  readonly trustedProxies: readonly string[]
}

/** Trusted proxies terminate TLS. */
export const warnOfPlainHttp = (read: SettingReader, listening: Listening): void => {
  const { host, tls, trustedProxies } = listening
  if (tls !== null || trustedProxies.length > 0 || LOOPBACK_HOST.test(host)) return
  read.warn(
    `The service speaks plain HTTP on ${placeOf(listening)}, beyond this machine: anybody who listens in that network reads secrets and tokens. Let nobody but a proxy that ends TLS reach this port, set HOST=127.0.0.1 where the proxy is on this machine, or set MINTMARK_TLS_CERT_FILE and MINTMARK_TLS_KEY_FILE.`,
  )
}
