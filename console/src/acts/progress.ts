// How far an act on each of the chosen has come, in words.
export type Failure = { readonly id: string; readonly message: string; readonly isRefused: boolean }

/** An agent, and how many of its tokens end. */
export type AgentHit = { readonly agent_id: string; readonly name: string | null; readonly tokens: number }

export type Progress = {
  readonly of: number
  /** The act did not begin before, by the clock of the service. */
  readonly beganMs: number
  /** How many were done by this act. */
  readonly done: number
  /** How many another act had done before. */
  readonly before: number
  /** How many were done when they were asked for again, after a request without an answer. */
  readonly unsure: number
  /** The failures of the last request for each. */
  readonly failures: readonly Failure[]
  /** The ids of which a request got no answer. */
  readonly unheard: readonly string[]
  /** The ids of those that were not asked for, or are not known to be done. */
  readonly left: readonly string[]
  /** When the first and the last of them were done by this act, by the clock of the service. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** How many were asked for, whether or not an answer came. */
export const triedOf = ({ of, left, failures }: Pick<Progress, 'of' | 'left' | 'failures'>): number =>
  of - left.filter(id => failures.every(failure => failure.id !== id)).length

/** `deed` is what was done: `ended`. Those that are not asked for yet are named once it is over. */
export const formatProgress = (progress: Progress, deed: string, isOver = false): string => {
  const { of, done, before, unsure, failures } = progress
  const refused = failures.filter(({ isRefused }) => isRefused).length
  const unknown = failures.length - refused
  const unasked = of - triedOf(progress)
  const parts = [
    `${done} of ${of} ${deed}`,
    ...(unsure > 0 ? [`${unsure} ${deed} by now, by this act or another`] : []),
    ...(before > 0 ? [`${before} ${deed} before this was asked for`] : []),
    ...(refused > 0 ? [`${refused} not`] : []),
    ...(unknown > 0 ? [`of ${unknown} it is not known`] : []),
    ...(isOver && unasked > 0 ? [`${unasked} not asked for`] : []),
  ]
  return parts.join(', ')
}
