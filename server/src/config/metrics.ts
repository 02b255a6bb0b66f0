// Configuration of metrics: where scrapers are answered, if they are.
import type { SettingReader } from './reader.ts'
import { type Parser, parseOffOr } from './values.ts'

/** Null where metrics are off: nothing is measured, and nothing listens. */
export type MetricsConfig = {
  readonly host: string
  readonly port: number
  /** Whether nobody asked for this address, so that the start goes on where it is taken. */
  readonly isOptional: boolean
} | null

const LAST_PORT = 65_535

const parseHostAndPort: Parser<{ readonly host: string; readonly port: number }> = text => {
  const [, bracketed, plain, digits = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]:\s]+)):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  if (host === undefined || port < 1 || port > LAST_PORT) {
    return { wrong: `is ${JSON.stringify(text)}; expected HOST:PORT such as 127.0.0.1:9464` }
  }
  return { value: { host, port } }
}

/** `port`: of the service. `fallback`: where nothing is set. */
export const readMetrics = (read: SettingReader, port: number, fallback: MetricsConfig): MetricsConfig => {
  const shown = fallback === null ? 'off' : `${fallback.host}:${fallback.port}`
  const address = read.orElse('MINTMARK_METRICS_ADDRESS', parseOffOr(parseHostAndPort), undefined, shown)
  if (address === undefined) return fallback
  if (address === null) return null
  if (address.port === port) {
    read.mistake(
      'MINTMARK_METRICS_ADDRESS has the PORT of the service; expected another port: metrics are not for its callers',
    )
  }
  return { ...address, isOptional: false }
}

/** Returns the address for `dev`: the first port after PORT that the identity provider does not use, on loopback. */
export const metricsForDev = (port: number, identityProviderPort: number): MetricsConfig => {
  const free = [port + 2, port + 3].find(one => one !== identityProviderPort) ?? port + 2
  return free > LAST_PORT ? null : { host: '127.0.0.1', port: free, isOptional: true }
}
