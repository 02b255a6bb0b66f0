// Rows of the dashboard about the stores, revocations and the feed.
import type { Row } from './panel.ts'

export const STORE_ROWS: readonly Row[] = [
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
        title: 'Verifiers',
        description: 'Those that report where they are, until five minutes after their last report.',
        unit: 'short',
        queries: [['max by (state) (mintmark_verifiers{instance=~"$instance"})', '{{state}}']],
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
]
