// Publishes the facts of the store as gauges: read in the background, so that no scrape waits for a store that hangs.
import { VERIFIER_STATES } from '../../../api/values/verifiers.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Timing } from '../ports/timing.ts'
import { inBackground, type OnFault } from '../store/background.ts'
import type { MetricFacts } from '../store/metrics/facts.ts'

const STATES = ['next', 'current', 'retained'] as const

const publish = (metrics: Metrics, facts: MetricFacts): void => {
  metrics.set('mintmark_live_tokens', {}, facts.liveTokens?.count ?? Number.NaN)
  for (const state of STATES) {
    // A gauge that is not a number is not shown.
    const createdAt = facts.keys.find(key => key.state === state)?.createdAt ?? Number.NaN
    metrics.set('mintmark_signing_key_created_timestamp_seconds', { state }, createdAt / 1000)
  }
  metrics.set('mintmark_credentials_expiring', {}, facts.credentialsExpiring)
  metrics.set('mintmark_api_keys_expiring', {}, facts.apiKeysExpiring)
  const { agents, credentials, apiKeys, issuers } = facts.suspended
  metrics.set('mintmark_suspended', { kind: 'agent' }, agents)
  metrics.set('mintmark_suspended', { kind: 'credential' }, credentials)
  metrics.set('mintmark_suspended', { kind: 'api_key' }, apiKeys)
  metrics.set('mintmark_suspended', { kind: 'issuer' }, issuers)
  for (const state of VERIFIER_STATES) metrics.set('mintmark_verifiers', { state }, facts.verifiers[state])
  metrics.set('mintmark_audit_entries_unsealed', {}, facts.auditEntriesUnsealed)
  metrics.set('mintmark_open_cutoffs', {}, facts.openCutOffs)
  metrics.set('mintmark_cutoff_backlog_rows', {}, facts.cutOffBacklog)
  metrics.set('mintmark_cascades_waiting', {}, facts.cascades)
  const { standbys, lagBytes } = facts.replication
  metrics.set('mintmark_replication_standbys', {}, standbys ?? Number.NaN)
  metrics.set('mintmark_replication_lag_bytes', {}, lagBytes ?? Number.NaN)
  metrics.set('mintmark_last_backup_timestamp_seconds', {}, (facts.lastBackupAt ?? Number.NaN) / 1000)
  const oldest = facts.oldestOpenCutOffAt ?? Number.NaN
  metrics.set('mintmark_oldest_open_cutoff_timestamp_seconds', {}, oldest / 1000)
  metrics.set('mintmark_facts_timestamp_seconds', {}, facts.at / 1000)
}

type Following = {
  readonly read: () => Promise<MetricFacts>
  readonly onFault: OnFault
  readonly timing: Pick<Timing, 'factsMs'>
}

/** Reads at once and then now and again, one at a time; returns the function that stops it. What cannot be read stays as it was. */
export const followFacts = (metrics: Metrics, { read, onFault, timing }: Following): (() => void) => {
  let isReading = false
  const follow = async (): Promise<void> => {
    if (isReading) return
    isReading = true
    await inBackground('facts for metrics', async () => publish(metrics, await read()), onFault)
    isReading = false
  }
  const timer = setInterval(() => void follow(), timing.factsMs).unref()
  void follow()
  return () => clearInterval(timer)
}
