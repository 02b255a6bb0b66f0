// How far an act on each of the chosen has come, in words.
export type Failure = { readonly id: string; readonly message: string; readonly isRefused: boolean }

export type Progress = {
  readonly done: number
  readonly of: number
  readonly failures: readonly Failure[]
  /** When the first of them was done, by the clock of the service. */
  readonly since?: string | undefined
}

/** `deed` is what was done: `ended`. */
export const formatProgress = ({ done, of, failures }: Progress, deed: string): string => {
  const refused = failures.filter(({ isRefused }) => isRefused).length
  const unknown = failures.length - refused
  const parts = [
    `${done - failures.length} of ${of} ${deed}`,
    ...(refused > 0 ? [`${refused} not`] : []),
    ...(unknown > 0 ? [`of ${unknown} it is not known`] : []),
  ]
  return parts.join(', ')
}
