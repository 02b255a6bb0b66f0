// The text format of Prometheus (version 0.0.4) and OpenMetrics 1.0.
import { type Metric, Registry } from '@prometheus-io/client'
import { boundsOf } from './buckets.ts'
import type { Family, Series } from './read-memory.ts'

type Sample = {
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A bound as OpenMetrics writes it, so that a series has one name in both formats. */
const formatBound = (bound: number): string => (Number.isInteger(bound) ? bound.toFixed(1) : String(bound))

const histogramSamples = ({ name, kind }: Family, { labels, value }: Series): readonly Sample[] => {
  if (typeof value === 'number') return []
  const bucket = (le: string, count: number): Sample => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le },
    value: count,
  })
  let total = 0
  const buckets = boundsOf(kind === 'counts' ? 'counts' : 'seconds').map((bound, n) => {
    total += value.buckets[n] ?? 0
    return bucket(formatBound(bound), total)
  })
  return [
    ...buckets,
    bucket('+Inf', value.count),
    { metricName: `${name}_sum`, labels, value: value.sum },
    { metricName: `${name}_count`, labels, value: value.count },
  ]
}

const samplesOf = (family: Family): readonly Sample[] =>
  family.series.flatMap(one =>
    typeof one.value === 'number' ? [{ labels: one.labels, value: one.value }] : histogramSamples(family, one),
  )

/** What a registry reads of a metric. For OpenMetrics it takes `_total` off the name of a counter first. */
const metricOf = (family: Family) => {
  const { name, kind, help } = family
  const type = kind === 'counter' || kind === 'gauge' ? kind : 'histogram'
  const metric = {
    name,
    get: () => Promise.resolve({ name: metric.name, help, type, values: samplesOf(family) }),
    type,
  }
  return metric
}

const CONTENT_TYPES = {
  'text/plain': Registry.PROMETHEUS_CONTENT_TYPE,
  'application/openmetrics-text': Registry.OPENMETRICS_CONTENT_TYPE,
} as const

export type TextType = keyof typeof CONTENT_TYPES

/** A registry of its own for each scrape: it forgets the names of counters once it has written OpenMetrics. */
export const formatText = async (families: readonly Family[], type: TextType) => {
  const registry = new Registry(CONTENT_TYPES[type])
  // Its types expect one of its own classes, which hold values themselves; of these it reads no more than metricOf gives.
  for (const family of families) registry.registerMetric(metricOf(family) as unknown as Metric<string>)
  return { contentType: registry.contentType, body: Buffer.from(await registry.metrics()) }
}
