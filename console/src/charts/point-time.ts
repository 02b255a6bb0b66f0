// When a point of a chart begins, in the reader's zone and in UTC.

const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const day = { month: 'short', day: 'numeric' } as const

const local = new Intl.DateTimeFormat('en', { ...day, ...clock })
const utc = new Intl.DateTimeFormat('en', { ...day, ...clock, timeZone: 'UTC' })
const ofDay = new Intl.DateTimeFormat('en', clock)
const zone = new Intl.DateTimeFormat('en', { timeZoneName: 'short' })

/** Returns the reader's time zone at this instant, such as `GMT+2`. */
export const zoneAt = (at: string): string =>
  zone.formatToParts(Date.parse(at)).find(({ type }) => type === 'timeZoneName')?.value ?? ''

export const formatLocal = (at: string): string => local.format(Date.parse(at))

export const formatUtc = (at: string): string => utc.format(Date.parse(at))

/** Formats a time in the reader's zone and in UTC on one line; once where both are the same. */
export const formatBoth = (at: string): string => {
  const [here, there] = [formatLocal(at), formatUtc(at)]
  return here === there ? `${there} UTC` : `${here} ${zoneAt(at)}, ${there} UTC`
}

/** Formats a time for an axis. `seconds` is since 1970. */
export const formatAxis = (seconds: number): string => ofDay.format(1000 * seconds)
