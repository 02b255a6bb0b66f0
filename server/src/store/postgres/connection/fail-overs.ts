// Notices when another server has become the primary. It may lack the last writes of the one before, which no caller saw
// acknowledged, and assign their numbers anew: what was cached of numbers is dropped then.

/** The timeline of a server, as SQL: it grows with each fail-over; null of a standby. */
export const TIMELINE = `case when pg_is_in_recovery() then null
  else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end`

/** `another`: a fail-over was seen by it; `older`: it is of a primary which does not know yet that it is none. */
type TimelineSeen = 'same' | 'another' | 'older'

export type FailOvers = {
  /** Called with the timeline of each connection, or behind a pooler of each transaction, before it is used. */
  readonly connected: (timeline: string) => TimelineSeen
  readonly onFailOver: (forget: () => void) => void
}

export const makeFailOvers = (): FailOvers => {
  const listeners: (() => void)[] = []
  let newest: string | undefined
  return {
    connected: timeline => {
      // Eight hexadecimal digits that grow.
      newest ??= timeline
      if (timeline === newest) return 'same'
      if (timeline < newest) return 'older'
      newest = timeline
      for (const forget of listeners) forget()
      return 'another'
    },
    onFailOver: forget => void listeners.push(forget),
  }
}
