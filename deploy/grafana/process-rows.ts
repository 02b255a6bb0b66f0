// Rows of the dashboard about keys and the process.
import type { Row } from './panel.ts'

export const PROCESS_ROWS: readonly Row[] = [
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
