// How far an act on each of the chosen has come, in words.
export type Failure = { readonly id: string; readonly message: string; readonly isRefused: boolean }

export type Progress = {
  readonly done: number
  readonly of: number
  readonly failures: readonly Failure[]
  /** How many of those that are done were so before, by another act. */
  readonly before: number
  /** The ids of those that were not asked for, or are not known to be done. */
  readonly left: readonly string[]
  /** When the first of them was done by this act, by the clock of the service. */
  readonly since?: string | undefined
}

/** `deed` is what was done: `ended`. Those that are not asked for yet are named once it is over. */
export const formatProgress = (
  { done, of, failures, before }: Omit<Progress, 'left'>,
  deed: string,
  isOver = false,
): string => {
  const refused = failures.filter(({ isRefused }) => isRefused).length
  const unknown = failures.length - refused
  const parts = [
    `${done - failures.length - before} of ${of} ${deed}`,
    ...(before > 0 ? [`${before} ${deed} before this was asked for`] : []),
    ...(refused > 0 ? [`${refused} not`] : []),
    ...(unknown > 0 ? [`of ${unknown} it is not known`] : []),
    ...(isOver && done < of ? [`${of - done} not asked for`] : []),
  ]
  return parts.join(', ')
}
