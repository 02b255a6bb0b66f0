// Counts failed authentications, so that a caller who fails again and again has to wait.
import type { Source } from '../domain/source.ts'

export type FailedAuthentication = {
  /** The client id of the request, whether such a client exists or not; undefined if it names none. Never stored. */
  readonly clientId: string | undefined
  readonly source: Source
}

export interface FailedAuthentications {
  /**
   * Counts the failure by its client id and network together, and by its network alone, for all threads of the process.
   * Returns null, or, beyond a limit, in how many whole seconds (at least 1) the next failure is within it; a failure
   * beyond a limit is not counted. Memory is constant: different callers may share a count, which can only make the result
   * a number instead of null.
   */
  count(failed: FailedAuthentication): number | null
}
