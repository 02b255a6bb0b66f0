// Rows of the dashboard about requests, tokens, callers and queues.
import type { Row } from './panel.ts'

export const REQUEST_ROWS: readonly Row[] = [
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
        title: 'Live tokens',
        unit: 'short',
        number: { below: 'green', thresholds: [] },
        queries: [['max(mintmark_live_tokens{instance=~"$instance"})', '']],
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
        description: 'docs/reference/errors.md has each code.',
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
        title: 'Live tokens',
        unit: 'short',
        queries: [['max(mintmark_live_tokens{instance=~"$instance"})', 'live']],
      },
    ],
  },
  {
    title: 'Callers, limits and queues',
    panels: [
      {
        title: 'Limits reached',
        description: 'docs/reference/limits.md has each limit.',
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
]
