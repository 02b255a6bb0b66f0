// Durations as people write them at the terminal: 90d, 12h, 30m, 45s, or 0.
import { InvalidArgumentError } from 'commander'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
const FORM = /^(\d{1,9})([smhd])$/

/** In seconds; undefined where the text is no duration. */
export const parseDurationSeconds = (text: string): number | undefined => {
  if (text === '0') return 0
  const [, count = '', unit = ''] = FORM.exec(text) ?? []
  const seconds = SECONDS[unit]
  return seconds === undefined ? undefined : Number(count) * seconds
}

/** In seconds. */
export const parseDuration = (text: string): number => {
  const seconds = parseDurationSeconds(text)
  if (seconds === undefined) throw new InvalidArgumentError('Expected a duration such as 90d, 12h, 30m or 45s.')
  return seconds
}
