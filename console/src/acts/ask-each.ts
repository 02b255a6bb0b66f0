// Does the same to each of the chosen, one after the other.
import { ApiUnavailable } from '../../../packages/client/src/administration/api-errors.ts'
import type { Failure, Progress } from './progress.ts'

/** Without an answer it may have been done all the same. */
const failureOf = (id: string, fault: unknown): Failure => {
  const message = fault instanceof Error ? fault.message : String(fault)
  return { id, message, isRefused: !(fault instanceof ApiUnavailable) }
}

type AskEach = {
  readonly ids: readonly string[]
  /** Returns when it was done, by the clock of the service. */
  readonly ask: (id: string) => Promise<string | null | undefined>
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/** Stops at the next one where it is aborted. */
export const askEach = async ({ ids, ask, signal, onProgress }: AskEach): Promise<void> => {
  const of = ids.length
  const failures: Failure[] = []
  let since: string | undefined
  onProgress({ done: 0, of, failures: [] })
  for (const [index, id] of ids.entries()) {
    if (signal.aborted) return
    try {
      const at = await ask(id)
      since ??= at ?? undefined
    } catch (fault) {
      failures.push(failureOf(id, fault))
    }
    onProgress({ done: index + 1, of, failures: [...failures], since })
  }
}
