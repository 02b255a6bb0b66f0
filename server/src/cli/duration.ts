// Durations as people write them at the terminal: 90d, 12h, 30m, 45s, or 0.
import { InvalidArgumentError } from 'commander'
import { formatTime } from '../domain/time.ts'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
const FORM = /^(\d{1,9})([smhd])$/

/** In seconds. */
export const parseDuration = (text: string): number => {
  if (text === '0') return 0
  const [, count = '', unit = ''] = FORM.exec(text) ?? []
  const seconds = SECONDS[unit]
  if (seconds === undefined) throw new InvalidArgumentError('Expected a duration such as 90d, 12h, 30m or 45s.')
  return Number(count) * seconds
}

/** The expiry that `--expires-in` asks for, by the clock of this machine; nothing where it is not given. */
export const expiryIn = (seconds: number | undefined) => {
  if (seconds === undefined) return {}
  const instant = Date.now() + 1000 * seconds
  // Beyond what a date can be.
  if (instant > 8.64e15) throw new InvalidArgumentError('Expected a shorter duration.')
  return { expires_at: formatTime(instant) }
}
