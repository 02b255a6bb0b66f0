// Counts tokens that ended early, once each, when the transaction that moved their rows is durable.
import type { EndingReason } from '../../../api/values/reason.ts'
import type { Metrics } from '../ports/metrics.ts'

export const countEndings = (metrics: Metrics, endings: readonly EndingReason[]): void => {
  for (const reason of endings) metrics.add('mintmark_tokens_ended_total', { reason })
}
