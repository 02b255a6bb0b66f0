// The panels of the dashboard: rows, and in each what its panels show. dashboard.ts lays them out.

/** Beyond such a value a panel of one number has this color. */
type Threshold = readonly [from: number, color: 'green' | 'orange' | 'red']

export type Panel = {
  readonly title: string
  readonly description?: string
  /** Of Grafana. */
  readonly unit: 'bytes' | 'none' | 'ops' | 'percentunit' | 'reqps' | 's' | 'short'
  /** A query of Prometheus for each line, with the name of the line. */
  readonly queries: readonly (readonly [expression: string, legend: string])[]
  /** Shows the last number in the color of its threshold; without it the panel is a graph. `below` is the color beneath all of them. */
  readonly number?: { readonly below: 'green' | 'red'; readonly thresholds: readonly Threshold[] }
}

export type Row = { readonly title: string; readonly panels: readonly Panel[] }

export const ROWS: readonly Row[] = [
  {
    title: 'Overview',
    panels: [
      {
        title: 'Processes up',
        unit: 'none',
        number: { below: 'red', thresholds: [[1, 'green']] },
        queries: [['count(up{job="mintmark",instance=~"$instance"} == 1)', '']],
      },
      {
        title: 'Requests a second',
        unit: 'reqps',
        number: { below: 'green', thresholds: [] },
        queries: [['sum(rate(mintmark_requests_total{instance=~"$instance"}[$__rate_interval]))', '']],
      },
      {
        title: 'Answered 503',
        description: 'Shed requests left out.',
        unit: 'percentunit',
        number: {
          below: 'green',
          thresholds: [
            [0.001, 'orange'],
            [0.01, 'red'],
          ],
        },
        queries: [
          [
            '(sum(rate(mintmark_requests_total{instance=~"$instance",outcome="unavailable"}[$__rate_interval])) or vector(0)) / sum(rate(mintmark_requests_total{instance=~"$instance"}[$__rate_interval]))',
            '',
          ],
        ],
      },
      {
        title: 'Answered 500 in the last hour',
        unit: 'none',
        number: { below: 'green', thresholds: [[1, 'red']] },
        queries: [['sum(increase(mintmark_refusals_total{instance=~"$instance",code="server_error"}[1h]))', '']],
      },
      {
        title: 'Live tokens (estimate)',
        unit: 'short',
        number: { below: 'green', thresholds: [] },
        queries: [['max(mintmark_live_tokens_estimate{instance=~"$instance"})', '']],
      },
      {
        title: 'Age of the last backup',
        description: 'Of mintmark backup; empty where there is none.',
        unit: 's',
        number: { below: 'green', thresholds: [[93600, 'red']] },
        queries: [['time() - max(mintmark_last_backup_timestamp_seconds{instance=~"$instance"})', '']],
      },
    ],
  },
  {
    title: 'Requests',
    panels: [
      {
        title: 'Requests',
        unit: 'reqps',
        queries: [
          [
            'sum by (operation) (rate(mintmark_requests_total{instance=~"$instance"}[$__rate_interval]))',
            '{{operation}}',
          ],
        ],
      },
      {
        title: 'Outcomes',
        unit: 'reqps',
        queries: [
          ['sum by (outcome) (rate(mintmark_requests_total{instance=~"$instance"}[$__rate_interval]))', '{{outcome}}'],
          ['sum(rate(mintmark_requests_shed_total{instance=~"$instance"}[$__rate_interval]))', 'shed'],
        ],
      },
      {
        title: 'Errors by code',
        description: 'docs/errors.md has each code.',
        unit: 'reqps',
        queries: [
          ['sum by (code) (rate(mintmark_refusals_total{instance=~"$instance"}[$__rate_interval])) > 0', '{{code}}'],
        ],
      },
      {
        title: 'Token requests',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.5, sum by (le) (rate(mintmark_request_seconds_bucket{instance=~"$instance",operation="issueToken"}[$__rate_interval])))',
            'half of them',
          ],
          [
            'histogram_quantile(0.99, sum by (le) (rate(mintmark_request_seconds_bucket{instance=~"$instance",operation="issueToken"}[$__rate_interval])))',
            '99 of 100',
          ],
        ],
      },
      {
        title: 'Introspections',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.5, sum by (le) (rate(mintmark_request_seconds_bucket{instance=~"$instance",operation="introspectToken"}[$__rate_interval])))',
            'half of them',
          ],
          [
            'histogram_quantile(0.99, sum by (le) (rate(mintmark_request_seconds_bucket{instance=~"$instance",operation="introspectToken"}[$__rate_interval])))',
            '99 of 100',
          ],
        ],
      },
      {
        title: 'Revocations',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.5, sum by (le) (rate(mintmark_request_seconds_bucket{instance=~"$instance",operation="revokeToken"}[$__rate_interval])))',
            'half of them',
          ],
          [
            'histogram_quantile(0.99, sum by (le) (rate(mintmark_request_seconds_bucket{instance=~"$instance",operation="revokeToken"}[$__rate_interval])))',
            '99 of 100',
          ],
        ],
      },
    ],
  },
  {
    title: 'Tokens',
    panels: [
      {
        title: 'Issued and introspected',
        unit: 'short',
        queries: [
          ['sum(rate(mintmark_tokens_issued_total{instance=~"$instance"}[$__rate_interval]))', 'issued'],
          [
            'sum by (result) (rate(mintmark_tokens_introspected_total{instance=~"$instance"}[$__rate_interval]))',
            'introspected: {{result}}',
          ],
        ],
      },
      {
        title: 'Ended early',
        unit: 'short',
        queries: [
          [
            'sum by (reason) (rate(mintmark_tokens_ended_total{instance=~"$instance"}[$__rate_interval])) > 0',
            '{{reason}}',
          ],
        ],
      },
      {
        title: 'Live tokens (estimate)',
        unit: 'short',
        queries: [['max(mintmark_live_tokens_estimate{instance=~"$instance"})', 'live']],
      },
    ],
  },
  {
    title: 'Callers, limits and queues',
    panels: [
      {
        title: 'Limits reached',
        description: 'docs/limits.md has each limit.',
        unit: 'reqps',
        queries: [
          [
            'sum by (limit) (rate(mintmark_limits_reached_total{instance=~"$instance"}[$__rate_interval])) > 0',
            '{{limit}}',
          ],
        ],
      },
      {
        title: 'Shed',
        unit: 'reqps',
        queries: [
          ['sum by (kind) (rate(mintmark_requests_shed_total{instance=~"$instance"}[$__rate_interval]))', '{{kind}}'],
        ],
      },
      {
        title: 'Waits to start',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.99, sum by (kind, le) (rate(mintmark_start_wait_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            '{{kind}}, 99 of 100',
          ],
        ],
      },
      {
        title: 'Requests that wait to start',
        unit: 'short',
        queries: [['sum by (kind) (mintmark_start_queue_requests{instance=~"$instance"})', '{{kind}}']],
      },
      {
        title: 'Work that waits',
        unit: 'short',
        queries: [['sum by (work) (mintmark_work_waiting{instance=~"$instance"})', '{{work}}']],
      },
      {
        title: 'Connections',
        unit: 'short',
        queries: [['sum by (instance) (mintmark_connections{instance=~"$instance"})', '{{instance}}']],
      },
      {
        title: 'Key sets fetched',
        unit: 'reqps',
        queries: [
          [
            'sum by (of, outcome) (rate(mintmark_key_set_fetches_total{instance=~"$instance"}[$__rate_interval]))',
            '{{of}}: {{outcome}}',
          ],
        ],
      },
      {
        title: 'Fetch of a key set',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.99, sum by (of, le) (rate(mintmark_key_set_fetch_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            '{{of}}, 99 of 100',
          ],
        ],
      },
      {
        title: 'Decided together',
        unit: 'short',
        queries: [
          [
            'histogram_quantile(0.5, sum by (group, le) (rate(mintmark_group_requests_bucket{instance=~"$instance"}[$__rate_interval])))',
            '{{group}}, half of them',
          ],
        ],
      },
      {
        title: 'Waits of work',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.99, sum by (work, le) (rate(mintmark_work_wait_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            '{{work}}, 99 of 100',
          ],
        ],
      },
      {
        title: 'Calls for sign-ins',
        unit: 'reqps',
        queries: [
          [
            'sum by (call, outcome) (rate(mintmark_sign_in_calls_total{instance=~"$instance"}[$__rate_interval]))',
            '{{call}}, {{outcome}}',
          ],
        ],
      },
      {
        title: 'Calls for sign-ins: time',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.99, sum by (call, le) (rate(mintmark_sign_in_call_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            '{{call}}, 99 of 100',
          ],
        ],
      },
    ],
  },
  {
    title: 'Store',
    panels: [
      {
        title: 'Commit',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.5, sum by (le) (rate(mintmark_commit_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            'half of them',
          ],
          [
            'histogram_quantile(0.99, sum by (le) (rate(mintmark_commit_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            '99 of 100',
          ],
          [
            'histogram_quantile(0.99, sum by (le) (rate(mintmark_commit_sync_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            'sync, 99 of 100',
          ],
        ],
      },
      {
        title: 'Reads',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.99, sum by (kind, le) (rate(mintmark_store_read_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            '{{kind}}, 99 of 100',
          ],
        ],
      },
      {
        title: 'Wait for the writing thread',
        description: 'Of the embedded store.',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.5, sum by (le) (rate(mintmark_write_wait_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            'half of them',
          ],
          [
            'histogram_quantile(0.99, sum by (le) (rate(mintmark_write_wait_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            '99 of 100',
          ],
        ],
      },
      {
        title: 'Group of writes',
        unit: 'short',
        queries: [
          [
            'histogram_quantile(0.5, sum by (le) (rate(mintmark_commit_jobs_bucket{instance=~"$instance"}[$__rate_interval])))',
            'half of them',
          ],
          [
            'histogram_quantile(0.99, sum by (le) (rate(mintmark_commit_jobs_bucket{instance=~"$instance"}[$__rate_interval])))',
            '99 of 100',
          ],
        ],
      },
      {
        title: 'Writes not begun',
        description: 'Of the embedded store.',
        unit: 'short',
        queries: [['sum by (instance) (mintmark_write_queue_jobs{instance=~"$instance"})', '{{instance}}']],
      },
      {
        title: 'Age of what was read of the store',
        unit: 's',
        queries: [['time() - mintmark_facts_timestamp_seconds{instance=~"$instance"}', '{{instance}}']],
      },
    ],
  },
  {
    title: 'PostgreSQL',
    panels: [
      {
        title: 'Connections to PostgreSQL',
        unit: 'short',
        queries: [
          ['sum by (pool, state) (mintmark_postgres_connections{instance=~"$instance"})', '{{pool}}: {{state}}'],
          ['sum by (pool) (mintmark_postgres_connections_max{instance=~"$instance"})', '{{pool}}: at most'],
        ],
      },
      {
        title: 'Work that waits for a connection',
        unit: 'short',
        queries: [['sum by (pool) (mintmark_postgres_waiting{instance=~"$instance"})', '{{pool}}']],
      },
      {
        title: 'Wait for a connection',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.99, sum by (pool, le) (rate(mintmark_postgres_connection_wait_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            '{{pool}}, 99 of 100',
          ],
        ],
      },
      {
        title: 'End of a transaction',
        description: 'Waits for the disk and for the synchronous standby.',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.99, sum by (of, le) (rate(mintmark_replication_wait_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            '{{of}}, 99 of 100',
          ],
        ],
      },
      {
        title: 'Standbys',
        unit: 'short',
        queries: [['max(mintmark_replication_standbys{instance=~"$instance"})', 'streaming']],
      },
      {
        title: 'Slowest standby',
        unit: 'bytes',
        queries: [['max(mintmark_replication_lag_bytes{instance=~"$instance"})', 'behind']],
      },
    ],
  },
  {
    title: 'Revocations, seals and maintenance',
    panels: [
      {
        title: 'Revocations being worked off',
        unit: 'short',
        queries: [
          ['max(mintmark_open_cutoffs{instance=~"$instance"})', 'open'],
          ['max(mintmark_cutoff_backlog_rows{instance=~"$instance"})', 'rows to read of the oldest'],
          ['max(mintmark_cascades_waiting{instance=~"$instance"})', 'ended, with descendants to move'],
        ],
      },
      {
        title: 'Oldest of them',
        unit: 's',
        queries: [['time() - min(mintmark_oldest_open_cutoff_timestamp_seconds{instance=~"$instance"})', 'age']],
      },
      {
        title: 'Audit entries without a seal',
        unit: 'short',
        queries: [['max(mintmark_audit_entries_unsealed{instance=~"$instance"})', 'entries']],
      },
      {
        title: 'Since retention caught up',
        unit: 's',
        queries: [['time() - max(mintmark_last_retention_timestamp_seconds{instance=~"$instance"})', 'age']],
      },
      {
        title: 'Faults in the background',
        unit: 'short',
        queries: [
          [
            'sum by (task) (increase(mintmark_background_faults_total{instance=~"$instance"}[$__rate_interval])) > 0',
            '{{task}}',
          ],
        ],
      },
      {
        title: 'Threads replaced',
        unit: 'short',
        queries: [
          [
            'sum by (thread) (increase(mintmark_thread_ends_total{instance=~"$instance"}[$__rate_interval]))',
            '{{thread}}',
          ],
        ],
      },
    ],
  },
  {
    title: 'Revocation feed',
    panels: [
      {
        title: 'Followers',
        unit: 'short',
        queries: [['sum by (kind) (mintmark_feed_followers{instance=~"$instance"})', '{{kind}}']],
      },
      {
        title: 'Documents sent',
        unit: 'ops',
        queries: [
          ['sum by (kind) (rate(mintmark_feed_documents_total{instance=~"$instance"}[$__rate_interval]))', '{{kind}}'],
        ],
      },
      {
        title: 'Age of the last look at the feed',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.5, sum by (le) (rate(mintmark_feed_head_age_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            'half of them',
          ],
          [
            'histogram_quantile(0.99, sum by (le) (rate(mintmark_feed_head_age_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            '99 of 100',
          ],
        ],
      },
      {
        title: 'Looks at the feed that failed',
        unit: 'short',
        queries: [['sum(increase(mintmark_feed_faults_total{instance=~"$instance"}[$__rate_interval]))', 'looks']],
      },
      {
        title: 'Followers cut off',
        unit: 'short',
        queries: [
          [
            'sum(increase(mintmark_feed_slow_followers_total{instance=~"$instance"}[$__rate_interval]))',
            'read too slowly',
          ],
        ],
      },
    ],
  },
  {
    title: 'Keys and expiry',
    panels: [
      {
        title: 'Age of signing keys',
        unit: 's',
        queries: [
          [
            'time() - min by (state) (mintmark_signing_key_created_timestamp_seconds{instance=~"$instance"})',
            '{{state}}',
          ],
        ],
      },
      {
        title: 'Expire within 7 days',
        unit: 'short',
        queries: [
          ['max(mintmark_credentials_expiring{instance=~"$instance"})', 'credentials'],
          ['max(mintmark_api_keys_expiring{instance=~"$instance"})', 'API keys'],
        ],
      },
      {
        title: 'TLS certificate expires in',
        unit: 's',
        queries: [['mintmark_certificate_expiry_timestamp_seconds{instance=~"$instance"} - time()', '{{instance}}']],
      },
      {
        title: 'Suspended since a restore',
        description: 'Refused until mintmark restore accept.',
        unit: 'short',
        queries: [['max by (kind) (mintmark_suspended{instance=~"$instance"})', '{{kind}}']],
      },
    ],
  },
  {
    title: 'Process',
    panels: [
      {
        title: 'Event loop: longest delay in a second',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.5, sum by (thread, le) (rate(mintmark_event_loop_delay_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            '{{thread}}, half of them',
          ],
          [
            'histogram_quantile(0.99, sum by (thread, le) (rate(mintmark_event_loop_delay_seconds_bucket{instance=~"$instance"}[$__rate_interval])))',
            '{{thread}}, 99 of 100',
          ],
        ],
      },
      {
        title: 'Event loop: time at work',
        description: 'Of all threads of a kind together; 100 % is one of them.',
        unit: 'percentunit',
        queries: [
          [
            'sum by (thread) (rate(mintmark_event_loop_busy_seconds_total{instance=~"$instance"}[$__rate_interval]))',
            '{{thread}}',
          ],
        ],
      },
      {
        title: 'Garbage collection',
        description: 'Time in pauses.',
        unit: 'percentunit',
        queries: [
          [
            'sum by (thread, kind) (rate(mintmark_gc_seconds_sum{instance=~"$instance"}[$__rate_interval]))',
            '{{thread}}: {{kind}}',
          ],
        ],
      },
      {
        title: 'Processor time',
        unit: 'percentunit',
        queries: [
          [
            'sum by (instance) (rate(process_cpu_seconds_total{instance=~"$instance"}[$__rate_interval]))',
            '{{instance}}',
          ],
        ],
      },
      {
        title: 'Memory',
        unit: 'bytes',
        queries: [['process_resident_memory_bytes{instance=~"$instance"}', '{{instance}}']],
      },
      {
        title: 'Open files',
        unit: 'short',
        queries: [['process_open_fds{instance=~"$instance"}', '{{instance}}']],
      },
    ],
  },
]
