// What the fuzzer needs for itself, from a service that is busy with what it sends: 503 says to try again, and is no end.
import { AssertionError } from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'

/** What `Retry-After` says. */
const RETRY_AFTER_MS = 1000
const TRIES_MAX = 10

const isBusy = (fault: unknown): boolean => fault instanceof AssertionError && fault.actual === 503

/** Does it again where an assertion on a status found 503, at most ten times in all. */
export const patiently = async <T>(work: () => T | Promise<T>, waitMs = RETRY_AFTER_MS): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (fault) {
      if (!isBusy(fault) || tries === TRIES_MAX) throw fault
      await delay(waitMs)
    }
  }
}
