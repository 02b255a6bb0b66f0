// Does the same to each of the chosen, one after the other.
import { ApiUnavailable } from '../../../packages/client/src/administration/api-errors.ts'
import { isNotFound } from '../reading/not-found.ts'
import { serviceEarliest } from '../reading/service-clock.ts'
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
  /** How far it came before: those that are left are asked for, and counted with the others. */
  readonly earlier?: Progress | undefined
}

const NOTHING: Omit<Progress, 'of' | 'left' | 'beganMs'> = { done: 0, before: 0, unsure: 0, failures: [], unheard: [] }

/** Counts an answer. An id whose earlier request got no answer counts as unsure, unless it was done before this act began. */
const withAnswer = (progress: Progress, id: string, { at, isDoneNow }: Asked): Progress => {
  const { beganMs, done, before, unsure, unheard, since, until } = progress
  const left = progress.left.filter(one => one !== id)
  const isUnsure = !isDoneNow && unheard.includes(id) && (at === null || Date.parse(at) >= beganMs)
  if (!isDoneNow && !isUnsure) return { ...progress, left, before: before + 1 }
  const times = [since, until, at].flatMap(time => time ?? []).toSorted((a, b) => Date.parse(a) - Date.parse(b))
  const counts = isUnsure ? { unsure: unsure + 1 } : { done: done + 1 }
  return { ...progress, ...counts, left, since: times[0], until: times.at(-1) }
}

/** Counts a failure. A record that no longer exists (404) is not asked for again. */
const withFault = (progress: Progress, id: string, fault: unknown): Progress => {
  const failure = failureOf(id, fault)
  return {
    ...progress,
    failures: [...progress.failures, failure],
    unheard: failure.isRefused ? progress.unheard : [...progress.unheard, id],
    left: isNotFound(fault) ? progress.left.filter(one => one !== id) : progress.left,
  }
}

/** Stops at the next one where it is aborted. Returns how far it came. */
export const askEach = async ({ ids, ask, signal, onProgress, earlier }: AskEach): Promise<Progress> => {
  let progress: Progress =
    earlier === undefined
      ? { ...NOTHING, of: ids.length, beganMs: serviceEarliest(), left: ids }
      : { ...earlier, failures: [] }
  onProgress(progress)
  for (const id of progress.left) {
    if (signal.aborted) break
    try {
      progress = withAnswer(progress, id, await ask(id))
    } catch (fault) {
      progress = withFault(progress, id, fault)
    }
    onProgress(progress)
  }
  return progress
}
