// The settings of logs, metrics and traces. Traces have the names of OpenTelemetry, so that what is set for every program of a machine
// holds here, too. Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
import { parseEndpoint, parseHostAndPort } from '../addresses.ts'
import { parseOffOr, parseOneOf, parseRatio } from '../values.ts'
import { inGroup } from './setting-entry.ts'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export const TELEMETRY_SETTINGS = inGroup('telemetry', {
  LOG_LEVEL: {
    parse: parseOneOf(LOG_LEVELS),
    fallback: 'info',
    otherwise: '`info`; in `mintmark dev` `warn`',
    meaning: 'the least that is logged',
  },
  MINTMARK_ACCESS_LOG: {
    parse: parseOneOf(['on', 'off']),
    fallback: 'off',
    meaning: '`on`: a line in the log for each request; see [Health, logs and traces](../run/health-logs-traces.md)',
  },
  MINTMARK_USE_EVIDENCE: {
    parse: parseOneOf(['on', 'off']),
    fallback: 'on',
    meaning: '`off`: it is not counted [where tokens are used](../manage/usage.md)',
  },
  MINTMARK_METRICS_ADDRESS: {
    parse: parseOffOr(parseHostAndPort),
    fallback: 'off',
    otherwise: '`off`; in `mintmark dev` 127.0.0.1 and `PORT` + 2',
    example: '127.0.0.1:9464',
    meaning:
      'where [metrics](metrics.md) are scraped, as `HOST:PORT` or `[::1]:PORT`, where `::` is that of `HOST`; another port than `PORT`. `off`: nothing is measured',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    parse: parseEndpoint,
    example: 'http://127.0.0.1:4318',
    meaning: 'where [traces](../run/health-logs-traces.md) are exported; without it nothing is traced',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    parse: parseEndpoint,
    otherwise: 'the endpoint and `/v1/traces`',
    example: 'http://127.0.0.1:4318/v1/traces',
    meaning: 'the whole address for traces',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    parse: parseOneOf(['http/protobuf']),
    fallback: 'http/protobuf',
    meaning: 'no other value is accepted',
  },
  OTEL_SDK_DISABLED: { parse: parseOneOf(['true', 'false']), fallback: 'false', meaning: '`true`: nothing is traced' },
  OTEL_TRACES_EXPORTER: { parse: parseOneOf(['otlp', 'none']), fallback: 'otlp', meaning: '`none`: nothing is traced' },
  OTEL_TRACES_SAMPLER: {
    parse: parseOneOf(SAMPLERS),
    fallback: 'parentbased_always_on',
    meaning: 'which requests are traced; behind `parentbased_` the flag of a caller decides about its own',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    parse: parseRatio,
    fallback: '1',
    example: '0.1',
    meaning: 'the share of requests that `traceidratio` samples',
  },
})
