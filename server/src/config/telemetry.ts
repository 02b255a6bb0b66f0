// Configuration of metrics, traces, the access log, and evidence of use. Variables of the exporter of traces that are no setting here are
// read by the exporter itself.
import { listenHost, PORT_MAX } from './addresses.ts'
import type { SettingReader } from './reader.ts'

/** Null where tracing is off. */
export type TracesConfig = {
  /** The URL that receives spans by OTLP over HTTP. */
  readonly url: string
  readonly sampler: 'always_on' | 'always_off' | 'traceidratio'
  readonly isParentBased: boolean
  /** The share of traces that `traceidratio` samples, from 0 to 1. */
  readonly ratio: number
} | null

export type TelemetryConfig = {
  readonly traces: TracesConfig
  /** Whether each request gets a line in the log. */
  readonly accessLog: boolean
  /** Whether it is counted where tokens are used. */
  readonly useEvidence: boolean
}

const PREFIX = 'parentbased_'

const readSampler = (read: SettingReader): Omit<NonNullable<TracesConfig>, 'url'> => {
  const name = read.value('OTEL_TRACES_SAMPLER')
  const ratio = read.value('OTEL_TRACES_SAMPLER_ARG')
  const isParentBased = name.startsWith(PREFIX)
  const bare = isParentBased ? name.slice(PREFIX.length) : name
  const sampler = bare === 'always_off' || bare === 'traceidratio' ? bare : 'always_on'
  return { sampler, isParentBased, ratio }
}

const readTraces = (read: SettingReader): TracesConfig => {
  const base = read.value('OTEL_EXPORTER_OTLP_ENDPOINT')
  const isDisabled = read.value('OTEL_SDK_DISABLED') === 'true'
  if (base === undefined || isDisabled) return null
  if (read.value('OTEL_TRACES_EXPORTER') === 'none') return null
  const below = `${base.replace(/\/$/, '')}/v1/traces`
  const url = read.value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', below) ?? below
  read.value('OTEL_EXPORTER_OTLP_PROTOCOL')
  return { url, ...readSampler(read) }
}

export const readTelemetry = (read: SettingReader): TelemetryConfig => ({
  traces: readTraces(read),
  accessLog: read.value('MINTMARK_ACCESS_LOG') === 'on',
  useEvidence: read.value('MINTMARK_USE_EVIDENCE') !== 'off',
})

/** Null where metrics are off: nothing is measured, and nothing listens. */
export type MetricsConfig = {
  readonly host: string
  readonly port: number
  /** Whether the address is a default: the start then goes on if the address is taken. */
  readonly isOptional: boolean
} | null

/** `port`: of the service. `fallback`: where nothing is set. */
export const readMetrics = (read: SettingReader, port: number, fallback: MetricsConfig): MetricsConfig => {
  const shown = fallback === null ? 'off' : `${fallback.host}:${fallback.port}`
  const address = read.value('MINTMARK_METRICS_ADDRESS', shown)
  if (!read.isSet('MINTMARK_METRICS_ADDRESS')) return fallback
  if (address === null) return null
  if (address.port === port) {
    read.mistake(
      'MINTMARK_METRICS_ADDRESS has the PORT of the service; expected another port: metrics are not for its callers',
    )
  }
  return { ...address, host: listenHost(address.host), isOptional: false }
}

/** Returns the address for `dev`: the first port after PORT that the identity provider does not use, on loopback. */
export const metricsForDev = (port: number, identityProviderPort: number): MetricsConfig => {
  const free = [port + 2, port + 3].find(one => one !== identityProviderPort) ?? port + 2
  return free > PORT_MAX ? null : { host: '127.0.0.1', port: free, isOptional: true }
}
