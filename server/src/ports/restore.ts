// The port of what a restore has suspended.
import type { Act } from '../domain/audit/act.ts'
import type { Acceptance, RestoreState, Suspended } from '../domain/restore.ts'

export interface RestoreRepository {
  /** The last restore, and what waits since; undefined where there was none. */
  state(): Promise<RestoreState | undefined>
  /** Lets what waits be used again; how many of each. Of two callers the second changes nothing. */
  accept(acceptance: Acceptance, act: Act): Promise<Suspended | 'unknown'>
}
