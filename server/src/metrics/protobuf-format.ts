// The protobuf format of Prometheus, the one that carries native histograms; classic buckets stand beside them.
// Source: io/prometheus/client/metrics.proto of github.com/prometheus/client_model, whose field numbers these are.
import { PbfWriter } from 'pbf'
import { boundOf, classicBounds, type HistogramKind, nativeIndexOf, SCHEMA } from './buckets.ts'
import type { Family, Histogram, Series } from './read-memory.ts'

const CONTENT_TYPE = 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited'

const TYPES = { counter: 0, gauge: 1, seconds: 4, counts: 4 } as const

type OfKind<T> = T & { readonly kind: Family['kind'] }

type Span = { readonly offset: number; length: number }

/** Runs of buckets that hold something: the first by its number, each other one by its distance from the one before. */
const spansOf = (kind: HistogramKind, { buckets }: Histogram) => {
  const spans: Span[] = []
  const deltas: number[] = []
  let [end, before] = [0, 0]
  for (const [bucket, count] of buckets.entries()) {
    // The first is the zero bucket, which is written apart.
    if (bucket === 0 || count === 0) continue
    const last = spans.at(-1)
    const index = nativeIndexOf(kind, bucket)
    if (last !== undefined && index === end) last.length += 1
    else spans.push({ offset: index - end, length: 1 })
    end = index + 1
    deltas.push(count - before)
    before = count
  }
  return { spans, deltas }
}

const writeSpan = ({ offset, length }: Span, to: PbfWriter): void => {
  to.writeSVarintField(1, offset)
  to.writeVarintField(2, length)
}

const writeClassic = ([cumulative, bound]: readonly [number, number], to: PbfWriter): void => {
  to.writeVarintField(1, cumulative)
  to.writeDoubleField(2, bound)
}

const writeHistogram = ({ kind, ...histogram }: Histogram & { readonly kind: HistogramKind }, to: PbfWriter): void => {
  const { sum, count, buckets } = histogram
  to.writeVarintField(1, count)
  to.writeDoubleField(2, sum)
  let [total, cell] = [0, 0]
  for (const { bound, cells } of classicBounds(kind)) {
    for (; cell < cells; cell += 1) total += buckets[cell] ?? 0
    to.writeMessage(3, writeClassic, [total, bound] as const)
  }
  to.writeSVarintField(5, SCHEMA)
  to.writeDoubleField(6, boundOf(kind, 0))
  to.writeVarintField(7, buckets[0] ?? 0)
  const { spans, deltas } = spansOf(kind, histogram)
  for (const span of spans) to.writeMessage(12, writeSpan, span)
  to.writePackedSVarint(13, deltas)
}

const writeLabel = ([name, value]: readonly [string, string], to: PbfWriter): void => {
  to.writeStringField(1, name)
  to.writeStringField(2, value)
}

/** A Gauge or a Counter, which look alike. */
const writeNumber = (value: number, to: PbfWriter): void => to.writeDoubleField(1, value)

const writeSeries = ({ kind, labels, value }: OfKind<Series>, to: PbfWriter): void => {
  for (const label of Object.entries(labels)) to.writeMessage(1, writeLabel, label)
  if (typeof value === 'number') return to.writeMessage(kind === 'gauge' ? 2 : 3, writeNumber, value)
  to.writeMessage(7, writeHistogram, { ...value, kind: kind === 'counts' ? 'counts' : 'seconds' } as const)
}

const writeFamily = ({ name, help, kind, series }: Family, to: PbfWriter): void => {
  to.writeStringField(1, name)
  to.writeStringField(2, help)
  to.writeVarintField(3, TYPES[kind])
  for (const one of series) to.writeMessage(4, writeSeries, { ...one, kind })
}

/** Each family behind its length. One without series is none: the format does not allow it. */
export const formatProtobuf = (families: readonly Family[]) => {
  const all = new PbfWriter()
  for (const family of families) {
    const one = new PbfWriter()
    writeFamily(family, one)
    all.writeBytes(one.finish())
  }
  return Promise.resolve({ contentType: CONTENT_TYPE, body: Buffer.from(all.finish()) })
}
