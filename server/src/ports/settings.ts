// The settings with which a service runs, for administrators who look at them.
import type { Setting } from '../../../api/values/settings.ts'

export interface Settings {
  /** Those in effect now: what was read again while the service runs is among them. It holds no secret. */
  list(): Promise<readonly Setting[]>
}
