// Does the same to each of the chosen, one after the other.
import { ApiUnavailable } from '../../../packages/client/src/administration/api-errors.ts'
import type { Failure, Progress } from './progress.ts'

/** Without an answer it may have been done all the same. */
const failureOf = (id: string, fault: unknown): Failure => {
  const message = fault instanceof Error ? fault.message : String(fault)
  return { id, message, isRefused: !(fault instanceof ApiUnavailable) }
}

export type Asked = {
  /** By the clock of the service. */
  readonly at: string | null
  /** False: it was so before, by another act. */
  readonly isDoneNow: boolean
}

type AskEach = {
  readonly ids: readonly string[]
  readonly ask: (id: string) => Promise<Asked>
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/** Stops at the next one where it is aborted. Returns how far it came. */
export const askEach = async ({ ids, ask, signal, onProgress }: AskEach): Promise<Progress> => {
  let progress: Progress = { done: 0, of: ids.length, failures: [], before: 0, left: ids }
  onProgress(progress)
  for (const id of ids) {
    if (signal.aborted) break
    const { done, failures, before, left, since } = progress
    const next = { ...progress, done: done + 1 }
    try {
      const { at, isDoneNow } = await ask(id)
      progress = {
        ...next,
        left: left.filter(one => one !== id),
        ...(isDoneNow ? { since: since ?? at ?? undefined } : { before: before + 1 }),
      }
    } catch (fault) {
      progress = { ...next, failures: [...failures, failureOf(id, fault)] }
    }
    onProgress(progress)
  }
  return progress
}
