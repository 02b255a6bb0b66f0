// Configuration of traces, of the access log, and of evidence of use. Traces have the names of OpenTelemetry, so that what is set for every
// program of a machine holds here too; those of the exporter that are not here are read by the exporter itself.
// Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
import type { SettingReader } from './reader.ts'
import { type Parser, parseOneOf } from './values.ts'

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

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

// http is common here: a collector runs on the same machine or in the same network.
const parseEndpoint: Parser<string> = text => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:')
    ? { value: text }
    : { wrong: `is not an http or https URL; expected the address of a collector such as http://127.0.0.1:4318` }
}

const parseRatio: Parser<number> = text => {
  const value = /^\d(?:\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN
  return value >= 0 && value <= 1
    ? { value }
    : { wrong: `is ${JSON.stringify(text)}; expected a number from 0 to 1 such as 0.1` }
}

const PREFIX = 'parentbased_'

const readSampler = (read: SettingReader): Omit<NonNullable<TracesConfig>, 'url'> => {
  const name = read.orElse('OTEL_TRACES_SAMPLER', parseOneOf(SAMPLERS), 'parentbased_always_on')
  const ratio = read.orElse('OTEL_TRACES_SAMPLER_ARG', parseRatio, 1)
  const isParentBased = name.startsWith(PREFIX)
  const bare = isParentBased ? name.slice(PREFIX.length) : name
  const sampler = bare === 'always_off' || bare === 'traceidratio' ? bare : 'always_on'
  return { sampler, isParentBased, ratio }
}

const readTraces = (read: SettingReader): TracesConfig => {
  const base = read.optional('OTEL_EXPORTER_OTLP_ENDPOINT', parseEndpoint)
  const isDisabled = read.orElse('OTEL_SDK_DISABLED', parseOneOf(['true', 'false']), 'false') === 'true'
  if (base === undefined || isDisabled) return null
  if (read.orElse('OTEL_TRACES_EXPORTER', parseOneOf(['otlp', 'none']), 'otlp') === 'none') return null
  const below = `${base.replace(/\/$/, '')}/v1/traces`
  const url = read.orElse('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', parseEndpoint, below)
  read.orElse('OTEL_EXPORTER_OTLP_PROTOCOL', parseOneOf(['http/protobuf']), 'http/protobuf')
  return { url, ...readSampler(read) }
}

export const readTelemetry = (read: SettingReader): TelemetryConfig => ({
  traces: readTraces(read),
  accessLog: read.orElse('MINTMARK_ACCESS_LOG', parseOneOf(['on', 'off']), 'off') === 'on',
  useEvidence: read.orElse('MINTMARK_USE_EVIDENCE', parseOneOf(['on', 'off']), 'on') !== 'off',
})
