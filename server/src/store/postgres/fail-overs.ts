// Tells when another server has become the primary. It may lack the last writes of the one before, which nobody was told of,
// and give their numbers anew: what was remembered of numbers is forgotten then.

export type FailOvers = {
  /** To be told the timeline of each connection before it is used. */
  readonly connected: (timeline: string) => void
  readonly onFailOver: (forget: () => void) => void
}

export const makeFailOvers = (): FailOvers => {
  const listeners: (() => void)[] = []
  let newest: string | undefined
  return {
    connected: timeline => {
      // Eight hexadecimal digits that grow. One that is older is of a primary which does not know yet that it is none.
      if (newest !== undefined && timeline <= newest) return
      const isAnother = newest !== undefined
      newest = timeline
      if (isAnother) for (const forget of listeners) forget()
    },
    onFailOver: forget => void listeners.push(forget),
  }
}
