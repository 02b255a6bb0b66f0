// Fields that several acts share: until when, and how long beside the old one.
import { DAY_MS } from '../../../api/values/time.ts'
import { serviceNow } from '../reading/service-clock.ts'

export const textIn = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

const DAYS = ['30', '90', '365'] as const

export const ExpiryField = () => (
  <label>
    It is taken
    <select name="days">
      <option value="">without an end</option>
      {DAYS.map(days => (
        <option key={days} value={days}>
          for {days} days
        </option>
      ))}
    </select>
  </label>
)

export const expiryIn = (form: FormData): { readonly expires_at?: string } => {
  const days = textIn(form, 'days')
  return days === '' ? {} : { expires_at: new Date(serviceNow() + Number(days) * DAY_MS).toISOString() }
}

export const expiryOptions = (form: FormData): readonly string[] => {
  const days = textIn(form, 'days')
  return days === '' ? [] : ['--expires-in', `${days}d`]
}

const GRACES = [
  { title: 'now', seconds: 0 },
  { title: 'in an hour', seconds: 3600 },
  { title: 'in a day', seconds: 86_400 },
  { title: 'in a week', seconds: 604_800 },
] as const

const GRACE_SECONDS_DEFAULT = 3600

export const GraceField = () => (
  <label>
    The old one ends
    <select name="grace" defaultValue={GRACE_SECONDS_DEFAULT}>
      {GRACES.map(({ title, seconds }) => (
        <option key={seconds} value={seconds}>
          {title}
        </option>
      ))}
    </select>
  </label>
)

export const graceIn = (form: FormData): number => Number(form.get('grace') ?? GRACE_SECONDS_DEFAULT)
