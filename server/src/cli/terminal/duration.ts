// Durations as people write them at the terminal: 90d, 12h, 30m, 45s, or 0.
import { InvalidArgumentError } from 'commander'
import { formatTime } from '../../../../api/values/time.ts'

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

const YEAR_10000 = Date.UTC(10_000, 0)

/** The time that lies so far ahead, by the clock of this machine, as the API takes it. */
export const parseExpiry = (text: string): string => {
  const instant = Date.now() + 1000 * parseDuration(text)
  // RFC 3339 §5.6: a year has four digits.
  if (instant >= YEAR_10000) throw new InvalidArgumentError('Expected a shorter duration.')
  return formatTime(instant)
}
