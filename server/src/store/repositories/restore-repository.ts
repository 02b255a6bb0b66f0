// The port of what a restore has suspended: read in snapshots, changed by jobs.
import type { RestoreRepository } from '../../ports/secret-repositories.ts'
import type { Writer } from '../jobs.ts'
import type { Reader } from '../snapshot.ts'
import { readRestoreState } from './suspensions.ts'

export const makeRestoreRegister = ({ read }: Reader, { call }: Writer): RestoreRepository => ({
  state: () => read(readRestoreState),
  accept: (acceptance, act) => call('acceptRestored', { acceptance, act }),
})
