// How far the end of chosen tokens has come, in words.
import { ApiUnavailable } from '../../../packages/client/src/administration/api-errors.ts'

export type Failure = { readonly id: string; readonly message: string; readonly isRefused: boolean }

export type Progress = {
  readonly done: number
  readonly of: number
  readonly failures: readonly Failure[]
  /** When the first of them ended, by the clock of the service. */
  readonly since?: string | undefined
}

/** Without an answer the token may have ended all the same. */
export const failureOf = (id: string, fault: unknown): Failure => {
  const message = fault instanceof Error ? fault.message : String(fault)
  return { id, message, isRefused: !(fault instanceof ApiUnavailable) }
}

export const formatProgress = ({ done, of, failures }: Progress): string => {
  const refused = failures.filter(({ isRefused }) => isRefused).length
  const unknown = failures.length - refused
  const parts = [
    `${done - failures.length} of ${of} ended`,
    ...(refused > 0 ? [`${refused} not`] : []),
    ...(unknown > 0 ? [`of ${unknown} it is not known`] : []),
  ]
  return parts.join(', ')
}
