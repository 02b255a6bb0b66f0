// What the service counts and measures: one table, from which the memory, /metrics and docs/reference/metrics.md follow.
import { WORK_LIMITS } from '../domain/refusal.ts'
import { type EndingReason, REASONS } from '../../../api/values/reason.ts'
import { VERIFIER_STATES } from '../../../api/values/verifiers.ts'

/** Values that the process gives at its start; any other value counts as `other`. Never an id, an address or a name. */
type OpenList = 'operations' | 'codes' | 'tasks'

/** The labels of a metric, each with its values: a closed list, or the name of a list that is given at the start. */
type Labels = Readonly<Record<string, readonly string[] | OpenList>>

/**
 * `counter`: never falls. `gauge`: a value of now, summed over threads. `seconds` and `counts`: histograms, of durations in
 * seconds and of whole numbers.
 */
export type MetricKind = 'counter' | 'gauge' | 'seconds' | 'counts'

export type MetricRow = { readonly kind: MetricKind; readonly help: string; readonly labels: Labels }

const OUTCOMES = ['success', 'refused', 'unavailable', 'fault'] as const
const THREADS = ['main', 'serving', 'writing'] as const
const KINDS = ['probe', 'known', 'revocation', 'open'] as const
const ENDINGS = Object.keys(REASONS).filter((reason): reason is EndingReason => reason !== 'expired')
const POOLS = ['hot', 'side'] as const
const KEY_OWNERS = ['provider', 'client', 'issuer'] as const
const SIGN_IN_CALLS = ['metadata', 'token'] as const

const counter = <const L extends Labels>(help: string, labels: L) => ({ kind: 'counter', help, labels }) as const
const gauge = <const L extends Labels>(help: string, labels: L) => ({ kind: 'gauge', help, labels }) as const
const seconds = <const L extends Labels>(help: string, labels: L) => ({ kind: 'seconds', help, labels }) as const
const counts = <const L extends Labels>(help: string, labels: L) => ({ kind: 'counts', help, labels }) as const

/** Each metric by its name on the wire. */
export const METRICS = {
  mintmark_requests_total: counter(
    'Answered requests: success is a status below 400, refused 400 to 499, unavailable 503, fault any other. Shed requests are counted apart.',
    { operation: 'operations', outcome: OUTCOMES },
  ),
  mintmark_request_seconds: seconds(
    'From the arrival of a request to the last byte of its answer, shed requests left out.',
    {
      operation: 'operations',
    },
  ),
  mintmark_refusals_total: counter('Error answers by their code of docs/reference/errors.md, shed requests left out.', {
    code: 'codes',
  }),
  mintmark_requests_shed_total: counter('Requests answered 503 before they began, because too many waited.', {
    kind: KINDS,
  }),
  mintmark_start_wait_seconds: seconds('How long requests that had to wait for their start waited.', { kind: KINDS }),
  mintmark_start_queue_requests: gauge('Requests that wait for their start now.', { kind: KINDS }),
  mintmark_connections: gauge('Open connections.', {}),
  mintmark_limits_reached_total: counter(
    'What a limit of docs/reference/limits.md turned away: connections, failed authentications beyond their number a minute, tokens beyond the limits of their agent, and work that would be done at another time.',
    { limit: ['connections', 'failed_authentications', ...WORK_LIMITS] },
  ),
  mintmark_work_waiting: gauge(
    'Requests for an export that are under way, and requests that wait for a signature or an imported secret to be verified.',
    { work: ['exports', 'operator_signatures', 'client_signatures', 'issuer_signatures', 'imported_secrets'] },
  ),
  mintmark_work_wait_seconds: seconds(
    'How long such work that had to wait waited for its turn. What is refused because its turn did not come is in mintmark_limits_reached_total, and an export never waits.',
    { work: ['operator_signatures', 'client_signatures', 'issuer_signatures', 'imported_secrets'] },
  ),
  mintmark_tokens_issued_total: counter('Tokens issued.', {}),
  mintmark_tokens_introspected_total: counter('Answers to introspections of tokens.', {
    result: ['active', 'inactive'],
  }),
  mintmark_tokens_ended_total: counter(
    'Tokens that ended before their expiry, each once, when its row is moved: after a large act that is later than the end. Expiry is computed and never counted.',
    { reason: ENDINGS },
  ),
  mintmark_feed_followers: gauge(
    'Who follows the revocation feed now: streams, and requests for changes that wait. Counted each second.',
    { kind: ['stream', 'changes'] },
  ),
  mintmark_feed_documents_total: counter(
    'Documents of the revocation feed that were sent: of a stream each event that holds some, of the rest each response.',
    { kind: ['stream', 'changes', 'snapshot', 'segment'] },
  ),
  mintmark_feed_slow_followers_total: counter(
    'Streams of the revocation feed that were closed because their followers read slower than it grew.',
    {},
  ),
  mintmark_feed_head_age_seconds: seconds(
    'Each second, of each thread with followers: how long ago it asked the store where the revocation feed stands, the last time that it was answered.',
    {},
  ),
  mintmark_feed_faults_total: counter(
    'Looks at the revocation feed, and at the API keys of its followers, that failed and are tried again, those of an outage of the store included.',
    {},
  ),
  mintmark_group_requests: counts('Requests decided together as one group.', {
    group: ['issue', 'introspect', 'sign_introspections'],
  }),
  mintmark_commit_seconds: seconds(
    'A group of writes, from its first statement until it is durable; on PostgreSQL it includes waits for a connection and for the synchronous standby.',
    {},
  ),
  mintmark_commit_sync_seconds: seconds(
    'The COMMIT of such a group on the embedded store: the write to the write-ahead log and the sync of the disk. On PostgreSQL see mintmark_replication_wait_seconds.',
    {},
  ),
  mintmark_commit_jobs: counts('Writes committed together as one group.', {}),
  mintmark_write_wait_seconds: seconds(
    'From the moment a thread hands a write to the writing thread of the embedded store until its group begins.',
    {},
  ),
  mintmark_write_queue_jobs: gauge(
    'Writes that the writing thread of the embedded store has received and not begun.',
    {},
  ),
  mintmark_store_read_seconds: seconds(
    'Reads of the store: look-ups of tokens, on PostgreSQL of a batch together, and snapshots for everything else.',
    { kind: ['tokens', 'snapshot'] },
  ),
  mintmark_postgres_connections: gauge(
    'Connections to PostgreSQL. The pool hot is for look-ups and writes, side for everything else; each thread has both.',
    { pool: POOLS, state: ['busy', 'idle'] },
  ),
  mintmark_postgres_connections_max: gauge('As many connections as the pools may open.', { pool: POOLS }),
  mintmark_postgres_waiting: gauge('What waits for a connection to PostgreSQL now.', { pool: POOLS }),
  mintmark_postgres_connection_wait_seconds: seconds(
    'How long what found no free connection to PostgreSQL waited for one, whether it got one or not.',
    { pool: POOLS },
  ),
  mintmark_replication_wait_seconds: seconds(
    'How long a transaction on PostgreSQL waited for its end. write: its commit, for the disk and the synchronous standby; new tokens are in mintmark_commit_seconds alone if they are sent whole. read: its fence and commit, which wait for the synchronous standby, if there is one.',
    { of: ['read', 'write'] },
  ),
  mintmark_event_loop_delay_seconds: seconds('The longest delay of the event loop in each second, of each thread.', {
    thread: THREADS,
  }),
  mintmark_event_loop_busy_seconds_total: counter('Time that the event loops spent working.', { thread: THREADS }),
  mintmark_gc_seconds: seconds('Pauses for garbage collection.', {
    thread: THREADS,
    kind: ['minor', 'major', 'incremental', 'weak_callbacks'],
  }),
  mintmark_thread_ends_total: counter('Threads that ended by themselves and were replaced.', {
    thread: ['serving', 'writing'],
  }),
  mintmark_key_set_fetches_total: counter('Key sets fetched from identity providers, clients and trusted issuers.', {
    of: KEY_OWNERS,
    outcome: ['success', 'failure'],
  }),
  mintmark_key_set_fetch_seconds: seconds('How long the fetch of a key set took, whatever came of it.', {
    of: KEY_OWNERS,
  }),
  mintmark_sign_in_calls_total: counter(
    'Requests to identity providers for the sign-in of operators at the console, renewals included. refused: the provider answered with a status from 400 to 499.',
    { call: SIGN_IN_CALLS, outcome: ['success', 'refused', 'failure'] },
  ),
  mintmark_sign_in_call_seconds: seconds('How long such a request took, whatever came of it.', { call: SIGN_IN_CALLS }),
  mintmark_live_tokens: gauge(
    'Live tokens of the store, counted at most 30 s, and 2 s more for each million, before the store was read; left out where they were not counted in time.',
    {},
  ),
  mintmark_signing_key_created_timestamp_seconds: gauge('When the oldest signing key in each state was made.', {
    state: ['next', 'current', 'retained'],
  }),
  mintmark_credentials_expiring: gauge('Credentials that are not revoked and expire within 7 days.', {}),
  mintmark_api_keys_expiring: gauge('API keys that are not revoked and expire within 7 days.', {}),
  mintmark_suspended: gauge(
    'What a restore suspended and nobody has accepted since: requests with it are refused until mintmark restore accept.',
    { kind: ['agent', 'credential', 'api_key', 'issuer'] },
  ),
  mintmark_verifiers: gauge(
    'Verifiers that reported where they follow the revocation feed within the last 5 minutes. silent: not for 30 s. behind: they lack what ended last, or were at another epoch.',
    { state: VERIFIER_STATES },
  ),
  mintmark_audit_entries_unsealed: gauge('Entries of the audit log behind the last seal.', {}),
  mintmark_open_cutoffs: gauge('Large acts whose tokens are still being moved.', {}),
  mintmark_oldest_open_cutoff_timestamp_seconds: gauge(
    'When the oldest of these was done. Not shown where none is open.',
    {},
  ),
  mintmark_cutoff_backlog_rows: gauge(
    'Rows that the backfill of the oldest of these has not read yet, whether it ended them or not. At most 10,000 are counted.',
    {},
  ),
  mintmark_cascades_waiting: gauge(
    'Ended tokens whose descendants are dead with them and have yet to be moved. At most 10,000 are counted.',
    {},
  ),
  mintmark_replication_standbys: gauge(
    'Standbys that PostgreSQL streams to, if the role of the service may see them (pg_monitor).',
    {},
  ),
  mintmark_replication_lag_bytes: gauge(
    'How far the slowest of these is behind in replaying, as the primary knows.',
    {},
  ),
  mintmark_last_backup_timestamp_seconds: gauge(
    'As of when the last backup by mintmark backup shows the store, as the audit log has it. Not shown where there is none. Backups made with other tools are unknown.',
    {},
  ),
  mintmark_facts_timestamp_seconds: gauge(
    'When the gauges from mintmark_live_tokens to here were read from the store, every 15 s. Each process reads them for itself.',
    {},
  ),
  mintmark_last_retention_timestamp_seconds: gauge(
    'When retention last found nothing left to remove. On PostgreSQL only the process shows it that does the maintenance.',
    {},
  ),
  mintmark_certificate_expiry_timestamp_seconds: gauge(
    'When the TLS certificate of the service expires, if it has one.',
    {},
  ),
  mintmark_background_faults_total: counter('Faults of work that no request waits for. The log has each.', {
    task: 'tasks',
  }),
} as const satisfies Readonly<Record<string, MetricRow>>

export type MetricName = keyof typeof METRICS

type NameOf<K extends MetricKind> = {
  [N in MetricName]: (typeof METRICS)[N]['kind'] extends K ? N : never
}[MetricName]

type ValueOf<L> = L extends readonly (infer V extends string)[] ? V : string

/** One value for each label of the metric. */
export type LabelsOf<N extends MetricName> = {
  readonly [L in keyof (typeof METRICS)[N]['labels']]: ValueOf<(typeof METRICS)[N]['labels'][L]>
}

/** Records what happens. Nothing of it throws, waits or allocates memory for long. */
export type Metrics = {
  /** Adds to a counter; `by` is not negative. */
  readonly add: <N extends NameOf<'counter'>>(name: N, labels: LabelsOf<N>, by?: number) => void
  /** Observes one value of a histogram, in its unit. */
  readonly observe: <N extends NameOf<'seconds' | 'counts'>>(name: N, labels: LabelsOf<N>, value: number) => void
  /** Returns the counter of one series that every request changes: its labels are looked up once. */
  readonly counter: <N extends NameOf<'counter'>>(name: N, labels: LabelsOf<N>) => (by?: number) => void
  readonly histogram: <N extends NameOf<'seconds' | 'counts'>>(name: N, labels: LabelsOf<N>) => (value: number) => void
  readonly gauge: <N extends NameOf<'gauge'>>(name: N, labels: LabelsOf<N>) => (value: number) => void
  /** Sets this thread's share of a gauge. */
  readonly set: <N extends NameOf<'gauge'>>(name: N, labels: LabelsOf<N>, value: number) => void
}

const ignore = (): void => undefined

/** The metrics of commands, and of tests of something else: they record nothing. */
export const NO_METRICS: Metrics = {
  add: ignore,
  observe: ignore,
  counter: () => ignore,
  histogram: () => ignore,
  gauge: () => ignore,
  set: ignore,
}
