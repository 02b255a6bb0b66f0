// Configuration of callers: their limits, the proxies that say where a request came from, and their certificates.
import { isIP } from 'node:net'
import { readClientCertificates } from './client-certificates.ts'
import type { SettingReader } from './reader.ts'
import { parseInteger, type Parser, parseOffOr, parseRanges } from './values.ts'

export type LimitsConfig = {
  /** Failed authentications a minute: of one client from one address, and from one address; null: no such limit. */
  readonly failedAuthentications: { readonly perClient: number | null; readonly perAddress: number | null }
  /** Connections at once: in all, and from one address. */
  readonly connections: { readonly max: number; readonly perAddress: number }
}

export const DEFAULT_LIMITS: LimitsConfig = {
  failedAuthentications: { perClient: 30, perAddress: 300 },
  connections: { max: 10_000, perAddress: 2000 },
}

const parseFailures = parseOffOr(parseInteger(1, 1_000_000))
const parseConnections = parseInteger(16, 1_000_000)

const readLimits = (read: SettingReader): LimitsConfig => {
  const { failedAuthentications: failed, connections } = DEFAULT_LIMITS
  const perClient = read.orElse('MINTMARK_FAILED_AUTH_PER_CLIENT', parseFailures, failed.perClient)
  const perAddress = read.orElse('MINTMARK_FAILED_AUTH_PER_ADDRESS', parseFailures, failed.perAddress)
  const max = read.orElse('MINTMARK_CONNECTIONS_MAX', parseConnections, connections.max)
  const ofAddressDefault = Math.min(connections.perAddress, max)
  const ofAddress = read.orElse('MINTMARK_CONNECTIONS_PER_ADDRESS', parseInteger(1, 1_000_000), ofAddressDefault)
  return {
    failedAuthentications: { perClient, perAddress },
    connections: { max, perAddress: ofAddress },
  }
}

const withBits = (text: string): string => {
  const version = isIP(text)
  return version === 0 ? text : `${text}/${version === 4 ? 32 : 128}`
}

/** Networks, or single addresses. */
const parseProxies: Parser<readonly string[]> = text => {
  const ranges = parseRanges(
    text
      .split(',')
      .map(one => withBits(one.trim()))
      .join(','),
  )
  return 'wrong' in ranges
    ? { wrong: `is ${JSON.stringify(text)}; expected addresses or networks such as 10.0.0.7,fd00::/8` }
    : ranges
}

/** `trustedProxies`: networks, each as address/bits. */
export const readCallers = (read: SettingReader) => {
  const trustedProxies = read.orElse('MINTMARK_TRUSTED_PROXIES', parseProxies, [])
  return { trustedProxies, clientCertificates: readClientCertificates(read, trustedProxies), limits: readLimits(read) }
}
