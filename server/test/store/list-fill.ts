// Drives the fill of a store that was opened without upkeep: one step at a time, as another process would.
import { fillStep } from '../../src/store/ledger/fill.ts'
import { countRows, inTransaction, withWritingConnection } from '../support/store-file.ts'

export const openCutOffCount = (file: string): number => countRows(file, `cutoff where state = 'open'`)

/** Runs up to `most` steps, at the store's time `now`; says whether more may be left. */
export const fill = (file: string, now: number, most: number): 'more' | 'nothing_left' =>
  withWritingConnection({ file, clock: now }, connection => {
    let outcome: 'more' | 'nothing_left' = 'more'
    for (let step = 0; step < most && outcome === 'more'; step += 1) outcome = inTransaction(connection, fillStep)
    return outcome
  })
