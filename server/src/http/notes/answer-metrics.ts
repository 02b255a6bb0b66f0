// Counts and measures answered requests, by operation and outcome.
import { type LabelsOf, type Metrics, NO_METRICS } from '../../ports/metrics.ts'

type Outcome = LabelsOf<'mintmark_requests_total'>['outcome']

const outcomeOf = (status: number): Outcome => {
  if (status < 400) return 'success'
  if (status < 500) return 'refused'
  return status === 503 ? 'unavailable' : 'fault'
}

/** The series of one operation: takes each request whose answer is out. */
export type AnswerSeries = (status: number, seconds: number) => void

const openSeries = (metrics: Metrics, operation: string): AnswerSeries => {
  const counterOf = (outcome: Outcome) => metrics.counter('mintmark_requests_total', { operation, outcome })
  const counters = {
    success: counterOf('success'),
    refused: counterOf('refused'),
    unavailable: counterOf('unavailable'),
    fault: counterOf('fault'),
  }
  const observe = metrics.histogram('mintmark_request_seconds', { operation })
  return (status, seconds) => {
    counters[outcomeOf(status)]()
    observe(seconds)
  }
}

/** Null where nothing is measured. */
export const makeAnswerMetrics =
  (metrics: Metrics) =>
  (operation: string): AnswerSeries | null =>
    metrics === NO_METRICS ? null : openSeries(metrics, operation)
