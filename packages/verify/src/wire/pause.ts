// Waiting in the background: cut short when everything ends.
import type { Runtime } from './runtime.ts'

/** Resolves after this time, or when the signal ends. */
export const pause = (runtime: Runtime, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted || ms <= 0) return resolve()
    const end = (): void => {
      cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = runtime.after(ms, end)
    signal.addEventListener('abort', end)
  })

const BACKOFF_MS_FIRST = 500
const BACKOFF_MS_MAX = 10_000

/** How long to wait after so many failures in a row, at least 1: doubled each time, and spread by chance. */
export const backoffMs = (runtime: Runtime, failures: number, atLeastMs = 0): number => {
  const full = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_FIRST * 2 ** Math.min(failures - 1, 10))
  return Math.max(atLeastMs, full / 2) + (runtime.random() * full) / 2
}
