// Starts the SDK in the thread that calls it, and exports by OTLP. No request waits for an export: spans wait in a queue of
// bounded length, and what does not fit is dropped.
import { setTimeout as delay } from 'node:timers/promises'
import { setGlobalErrorHandler } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Timing } from '../ports/timing.ts'
import type { Traces } from '../ports/traces.ts'
import { makeTraces } from './open-telemetry.ts'

/** How many ended spans one thread keeps for export; each takes about 2 kB. */
const SPANS_WAITING_MAX = 2048
/** The most links of a span: a batch has as many requests (GROUP_MAX of domain/one-by-one.ts, which traces may not import). */
const LINKS_MAX = 256
/** The exports under way of a thread: a collector that is slow holds so many batches of 512 spans. */
const EXPORTS_MAX = 2
/** A collector may answer anything. */
const MESSAGE_CHARACTERS_MAX = 200

export type SamplerName = 'always_on' | 'always_off' | 'traceidratio'

export type TracesOptions = {
  /** The address of the collector for traces. */
  readonly url: string
  readonly sampler: SamplerName
  readonly isParentBased: boolean
  /** The share of traces that `traceidratio` samples, from 0 to 1. */
  readonly ratio: number
  readonly version: string
  readonly onFault: (fault: unknown) => void
  readonly timing: Pick<Timing, 'traceExportMs' | 'traceFlushMs'>
}

const samplerOf = ({ sampler, isParentBased, ratio }: TracesOptions): Sampler => {
  const root =
    sampler === 'always_on'
      ? new AlwaysOnSampler()
      : sampler === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio)
  return isParentBased ? new ParentBasedSampler({ root }) : root
}

/** The message alone: an error of the exporter carries what the collector answered. */
const faultOf = (fault: unknown): Error => {
  const text = fault instanceof Error ? fault.message : String(fault)
  return new Error(`Spans were not exported: ${text.slice(0, MESSAGE_CHARACTERS_MAX)}`)
}

export type RunningTraces = { readonly traces: Traces; readonly close: () => Promise<void> }

/** Headers, timeout, compression and certificates are those of OTEL_EXPORTER_OTLP_*, which the exporter reads. */
export const startTraces = (options: TracesOptions): RunningTraces => {
  const { url, version, onFault, timing } = options
  setGlobalErrorHandler(fault => onFault(faultOf(fault)))
  const own = resourceFromAttributes({ 'service.name': 'mintmark', 'service.version': version })
  const resource = defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }))
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter({ url, concurrencyLimit: EXPORTS_MAX }),
    maxQueueSize: SPANS_WAITING_MAX,
    scheduledDelayMillis: timing.traceExportMs,
  })
  const shared = { resource, spanProcessors: [processor], spanLimits: { linkCountLimit: LINKS_MAX } }
  const tracerOf = (sampler: Sampler) => new TracerProvider({ ...shared, sampler }).getTracer('mintmark', version)
  return {
    traces: makeTraces({ requests: tracerOf(samplerOf(options)), steps: tracerOf(new AlwaysOnSampler()) }),
    close: async () => {
      const flushed = processor.shutdown().catch((fault: unknown) => onFault(faultOf(fault)))
      await Promise.race([flushed, delay(timing.traceFlushMs, undefined, { ref: false })])
    },
  }
}
