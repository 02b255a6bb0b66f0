// What changes a metric is done once to a real service, and seen at /metrics; what the store says of itself is shown under its own names.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { TIMING } from '../../../src/ports/timing.ts'
import { openProcessMetrics } from '../../../src/compose/metrics.ts'
import type { MetricFacts } from '../../../src/store/metrics/facts.ts'
import { freePorts } from '../../../../testkit/commands/run-mintmark.ts'
import { type ServeProcess, startTraced } from '../../../../testkit/collectors/serve-process.ts'
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../../../testkit/identity-providers/identity-provider.ts'
import { until } from '../../../../testkit/processes/until.ts'

const OPTIONS = { timeout: 180_000 }

/** Every sample of the service by its name and labels. */
const scrape = async (port: number): Promise<ReadonlyMap<string, number>> => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return new Map(
    text
      .split('\n')
      .filter(line => line.startsWith('mintmark_'))
      .map((line): [string, number] => {
        const end = line.lastIndexOf(' ')
        return [line.slice(0, end), Number(line.slice(end + 1))]
      }),
  )
}

type Causing = { readonly service: ServeProcess; readonly provider: IdentityProvider; readonly t: TestContext }

/** More at once, each signed anew, than one thread verifies at once. */
const SIGNATURES = 24

const presentJwts = async ({ service, provider }: Causing): Promise<void> => {
  const jwts = await Promise.all(Array.from({ length: SIGNATURES }, (_, n) => provider.operatorJwt({ jti: String(n) })))
  const headersOf = (jwt: string) => ({ authorization: `Bearer ${jwt}` })
  const answers = await Promise.all(jwts.map(jwt => service.ask('/api/v1/agents', { headers: headersOf(jwt) })))
  assert.ok(answers.every(({ status }) => status === 200))
}

const beginSignIn = async ({ service }: Causing): Promise<void> => {
  assert.equal((await service.ask('/console/sign-in')).status, 302)
}

/** The provider knows no code of such a sign-in. */
const finishSignIn = async ({ service, provider }: Causing): Promise<void> => {
  const { headers } = await service.ask('/console/sign-in')
  const [cookie = ''] = String(headers['set-cookie']).split(';')
  const state = new URL(String(headers['location'])).searchParams.get('state')
  const answer = new URLSearchParams({ code: 'none', state: state ?? '', iss: provider.issuer }).toString()
  await service.ask(`/console/callback?${answer}`, { headers: { cookie } })
}

const follow = async ({ service, t }: Causing): Promise<void> => {
  const ending = new AbortController()
  t.after(() => ending.abort())
  const { port, apiKey } = service
  const feed = `http://127.0.0.1:${port}/oauth/revocation-feed`
  const headers = { 'x-api-key': apiKey.api_key }
  const head = (await (await fetch(feed, { headers })).json()) as { readonly epoch: string; readonly position: number }
  const from = new URLSearchParams({ epoch: head.epoch, position: String(head.position) }).toString()
  const stream = await fetch(`${feed}/stream?${from}`, { headers, signal: ending.signal })
  assert.equal(stream.status, 200)
  await (await fetch(`${feed}/snapshot`, { headers })).text()
}

const issue = async ({ service }: Causing): Promise<void> => void (await service.issue())

/** What is done, and samples that are greater than before once it is. */
const CAUSES: readonly { readonly by: (causing: Causing) => Promise<void>; readonly changes: readonly string[] }[] = [
  {
    by: issue,
    changes: [
      'mintmark_commit_seconds_count',
      'mintmark_commit_sync_seconds_count',
      'mintmark_commit_sync_seconds_sum',
      'mintmark_commit_jobs_count',
      'mintmark_write_wait_seconds_count',
      'mintmark_group_requests_count{group="issue"}',
      'mintmark_event_loop_busy_seconds_total{thread="serving"}',
      'mintmark_event_loop_busy_seconds_total{thread="writing"}',
    ],
  },
  {
    by: presentJwts,
    changes: [
      'mintmark_work_wait_seconds_count{work="operator_signatures"}',
      'mintmark_store_read_seconds_count{kind="snapshot"}',
    ],
  },
  {
    by: beginSignIn,
    changes: [
      'mintmark_sign_in_calls_total{call="metadata",outcome="success"}',
      'mintmark_sign_in_call_seconds_count{call="metadata"}',
    ],
  },
  {
    by: finishSignIn,
    changes: [
      'mintmark_sign_in_calls_total{call="token",outcome="refused"}',
      'mintmark_sign_in_call_seconds_count{call="token"}',
    ],
  },
  {
    by: follow,
    changes: [
      'mintmark_feed_followers{kind="stream"}',
      'mintmark_feed_documents_total{kind="snapshot"}',
      'mintmark_feed_head_age_seconds_count',
    ],
  },
]

/** What a start does by itself: the checks of the installation ask for the keys of the provider. */
const AT_START = [
  'mintmark_key_set_fetches_total{of="provider",outcome="success"}',
  'mintmark_key_set_fetch_seconds_count{of="provider"}',
  'mintmark_facts_timestamp_seconds',
]

/** Of a service at rest, whatever is asked of it. */
const AT_REST = {
  mintmark_write_queue_jobs: 0,
  'mintmark_work_waiting{work="operator_signatures"}': 0,
  mintmark_open_cutoffs: 0,
}

test('what is done to a service changes the metrics of it', OPTIONS, async t => {
  const provider = await startIdentityProvider()
  t.after(() => provider.close())
  const settings = {
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: provider.audience,
    MINTMARK_CONSOLE_CLIENT_ID: 'console',
    LOG_LEVEL: 'silent',
  }
  const service = await startTraced(t, settings, { eventLoopPublishMs: 100, scrapeFreshMs: 0, feedHeartbeatMs: 100 })
  const assertChanged = async (before: ReadonlyMap<string, number>, changes: readonly string[]): Promise<void> => {
    let missing = changes
    const allChanged = async (): Promise<boolean> => {
      const after = await scrape(service.metricsPort)
      missing = changes.filter(name => !((after.get(name) ?? 0) > (before.get(name) ?? 0)))
      return missing.length === 0
    }
    await until('all of them change', allChanged).catch(() => assert.deepEqual(missing, []))
  }
  await assertChanged(new Map(), AT_START)
  for (const { by, changes } of CAUSES) {
    const before = await scrape(service.metricsPort)
    await by({ service, provider, t })
    await assertChanged(before, changes)
  }
  await until('nothing is under way', async () => {
    const samples = await scrape(service.metricsPort)
    return Object.entries(AT_REST).every(([name, value]) => samples.get(name) === value)
  })
})

const FACTS: MetricFacts = {
  at: 1_000_000,
  liveTokens: { count: 3, at: 1 },
  keys: [
    { state: 'next', createdAt: 4000 },
    { state: 'current', createdAt: 5000 },
  ],
  credentialsExpiring: 6,
  apiKeysExpiring: 7,
  suspended: { agents: 16, credentials: 17, apiKeys: 18, issuers: 19 },
  auditEntriesUnsealed: 8,
  openCutOffs: 9,
  oldestOpenCutOffAt: 10_000,
  cutOffBacklog: 11,
  cascades: 12,
  replication: { standbys: 13, lagBytes: 14 },
  lastBackupAt: 15_000,
  verifiers: { current: 1, behind: 2, silent: 3 },
}

const SHOWN = {
  mintmark_live_tokens: 3,
  'mintmark_signing_key_created_timestamp_seconds{state="next"}': 4,
  'mintmark_signing_key_created_timestamp_seconds{state="current"}': 5,
  mintmark_credentials_expiring: 6,
  mintmark_api_keys_expiring: 7,
  'mintmark_suspended{kind="agent"}': 16,
  'mintmark_suspended{kind="credential"}': 17,
  'mintmark_suspended{kind="api_key"}': 18,
  'mintmark_suspended{kind="issuer"}': 19,
  mintmark_audit_entries_unsealed: 8,
  mintmark_open_cutoffs: 9,
  mintmark_oldest_open_cutoff_timestamp_seconds: 10,
  mintmark_cutoff_backlog_rows: 11,
  mintmark_cascades_waiting: 12,
  mintmark_replication_standbys: 13,
  mintmark_replication_lag_bytes: 14,
  mintmark_last_backup_timestamp_seconds: 15,
  mintmark_facts_timestamp_seconds: 1000,
}

/** Those that are not shown where there is nothing to report. */
const NOTHING = {
  ...FACTS,
  keys: [],
  oldestOpenCutOffAt: null,
  replication: { standbys: null, lagBytes: null },
  lastBackupAt: null,
}
const HIDDEN = /^mintmark_(?:signing_key_created|oldest_open_cutoff|replication_(?:standbys|lag)|last_backup)/

const showFacts = async (t: TestContext, facts: MetricFacts) => {
  const [port] = await freePorts()
  const metrics = await openProcessMetrics({ host: '127.0.0.1', port, isOptional: false }, TIMING)
  t.after(() => metrics.close())
  metrics.follow(
    () => Promise.resolve(facts),
    (_task, fault) => assert.fail(String(fault)),
  )
  await metrics.serve(fault => assert.fail(String(fault)), { warn: () => undefined })
  const samples = await scrape(port)
  return Object.fromEntries([...samples].filter(([name]) => Object.hasOwn(SHOWN, name)))
}

test('each fact of the store is shown under its own name, and what is not there is not shown', OPTIONS, async t => {
  assert.deepEqual(await showFacts(t, FACTS), SHOWN)
  const shown = Object.entries(SHOWN).filter(([name]) => !HIDDEN.test(name))
  assert.deepEqual(await showFacts(t, NOTHING), Object.fromEntries(shown))
})
