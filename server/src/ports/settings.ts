// The settings with which a service runs, for administrators who look at them.
import type { Setting } from '../../../api/values/settings.ts'

export interface Settings {
  /** Lists the settings in effect now, including those read again while the service runs. They hold no secret. */
  list(): Promise<readonly Setting[]>
}
