// Times as people write them at the terminal: how long ago or ahead, a day, or a time of a day. One parser for all options.
import { type Command, InvalidArgumentError } from 'commander'
import { formatTime, type Milliseconds, parseTime } from '../../../../api/values/time.ts'
import { parseDurationSeconds } from './duration.ts'

const DAY = /^\d{4}-\d\d-\d\d$/
const MINUTE = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d)([Zz]|[+-]\d\d:\d\d)$/

/** RFC 3339 §5.6 has no day without a time and no time without seconds: a day begins at 00:00:00 UTC. */
const complete = (text: string): string =>
  DAY.test(text)
    ? `${text}T00:00:00Z`
    : text.replace(MINUTE, (_, minute: string, zone: string) => `${minute}:00${zone}`)

/** Where a duration counts from now: into the past, or into the future. */
export type Direction = 'ago' | 'ahead'

const FORMS: Readonly<Record<Direction, string>> = {
  ago: 'how long ago, such as 30d, 12h, 15m or 45s',
  ahead: 'how far ahead, such as 30d, 12h, 15m or 45s',
}

const YEAR_0 = Date.UTC(-1, 12)
const YEAR_10000 = Date.UTC(10_000, 0)

const shift = (now: Milliseconds, seconds: number, direction: Direction): Milliseconds => {
  const instant = direction === 'ago' ? now - 1000 * seconds : now + 1000 * seconds
  // RFC 3339 §5.6: a year has four digits.
  if (instant < YEAR_0 || instant >= YEAR_10000) throw new InvalidArgumentError('Expected a shorter duration.')
  return instant
}

/** The instant that an option names; `30d` lies so far from `now` in this direction. */
export const parseTerminalTime = (text: string, direction: Direction, now: Milliseconds = Date.now()): Milliseconds => {
  const seconds = parseDurationSeconds(text)
  if (seconds !== undefined) return shift(now, seconds, direction)
  const instant = parseTime(complete(text))
  if (instant !== undefined) return instant
  throw new InvalidArgumentError(
    `Expected ${FORMS[direction]}, a day such as 2026-11-21 (its start in UTC), or a time such as 2026-11-21T09:30Z.`,
  )
}

/** A time of which a duration counts back from now by the clock of this machine, as the API takes it. */
export const readTime = (text: string): string => formatTime(parseTerminalTime(text, 'ago'))

/** A time to which a duration counts ahead, as the API takes it. */
export const readExpiry = (text: string): string => formatTime(parseTerminalTime(text, 'ahead'))

const HELP = `
A <time> is how long ago (30d, 12h, 15m, 45s), a day (2026-11-21: its start in UTC), or a time (2026-11-21T09:30Z,
2026-11-21T09:30:05+01:00).`

/** Says in the help of a command what its times may be. */
export const addTimeHelp = (command: Command): Command => command.addHelpText('after', HELP)
