// The state of the service on one line of figures.
import type { ShowStatusAnswer } from '../../../packages/client/src/index.ts'
import { formatNumber } from '../parts/format-number.ts'
import { Waiting } from '../parts/waiting.tsx'
import { useStatus } from '../reading/status.ts'

const REFRESH_MS = 5_000

const count = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

type Figure = {
  readonly title: string
  readonly value: number | null
  readonly isWarning?: boolean
  readonly about?: string
}

const figuresOf = (status: ShowStatusAnswer): readonly Figure[] => [
  {
    title: 'Live tokens',
    value: status.live_tokens,
    about:
      status.live_tokens === null
        ? 'They are being counted.'
        : `${formatNumber(status.live_tokens)}, as of ${status.live_tokens_at}.`,
  },
  { title: 'Issued, last minute', value: status.tokens_last_minute },
  { title: 'Issued, last hour', value: status.tokens_last_hour },
  { title: 'Issued, last day', value: status.tokens_last_day },
  { title: 'Refused, last hour', value: status.refusals },
  { title: 'Failed authentications', value: status.failed_authentications, about: 'Of the last hour, of every kind.' },
  { title: 'Agents', value: status.agents },
  { title: 'Disabled', value: status.agents_disabled },
  {
    title: 'Credentials expire in 7 days',
    value: status.credentials_expiring,
    isWarning: status.credentials_expiring > 0,
  },
  {
    title: 'API keys expire in 7 days',
    value: status.api_keys_expiring,
    isWarning: status.api_keys_expiring > 0,
  },
]

export const State = () => {
  const status = useStatus(REFRESH_MS)
  if (status.error !== null || status.data === undefined) return <Waiting query={status} />
  return (
    <dl className="figures">
      {figuresOf(status.data).map(({ title, value, isWarning, about }) => (
        <div key={title} title={about} className={isWarning === true ? 'warning' : undefined}>
          <dt>{title}</dt>
          <dd>{value === null ? '…' : count.format(value)}</dd>
        </div>
      ))}
    </dl>
  )
}
