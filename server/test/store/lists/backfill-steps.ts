// Runs the backfill of a store that was opened without maintenance: one step at a time, as another process would.
import { TIMING } from '../../../src/ports/timing.ts'
import { backfillStep } from '../../../src/store/ledger/backfill.ts'
import { cascadeStep } from '../../../src/store/ledger/cascades.ts'
import type { Program } from '../../../src/store/statement-program.ts'
import type { Transaction } from '../../../src/store/transaction.ts'
import { makeSets } from '../../../src/store/ledger/interned-sets.ts'
import { runner } from '../../../src/store/postgres/connection/run-program.ts'
import { transactionOpener } from '../../../src/store/postgres/writer/open-transaction.ts'
import { makeTransactions } from '../../../src/store/postgres/writer/transactions.ts'
import { databaseOf, isDatabaseUrl } from '../../../../testkit/databases/postgres-cluster.ts'
import { addressOf, withConnection } from '../../../../testkit/databases/postgres-store.ts'
import { countRows, inTransaction, withWritingConnection } from '../../../../testkit/stores/store-file.ts'

export const openCutOffCount = (file: string): number => countRows(file, `cutoff where state = 'open'`)

type Outcome = 'more' | 'nothing_left'

/** One step of the backfill as the maintenance runs it: cut-offs first. */
function* nextStep(tx: Transaction): Program<Outcome> {
  return (yield* backfillStep(tx)) === 'more' ? 'more' : yield* cascadeStep(tx)
}

const fillFile = (file: string, now: number, most: number): Outcome =>
  withWritingConnection({ file, clock: now }, connection => {
    let outcome: Outcome = 'more'
    for (let step = 0; step < most && outcome === 'more'; step += 1) outcome = inTransaction(connection, nextStep)
    return outcome
  })

// Awaited: a store whose process stands still in the middle of a transaction loses it.
const fillDatabase = async (url: string, now: number, most: number): Promise<Outcome> => {
  const address = await addressOf(databaseOf(url))
  const clock = { observe: () => now, now: () => now }
  const open = transactionOpener({ timing: TIMING, runner, clock, leaseMs: 0 }, makeSets())
  const { write } = makeTransactions({ address, timing: TIMING })
  return withConnection(address, async connection => {
    const step = (): Promise<Outcome> =>
      write(connection, async () => runner.runProgram(connection, nextStep((await open(connection, true)).tx)))
    let outcome: Outcome = 'more'
    for (let taken = 0; taken < most && outcome === 'more'; taken += 1) outcome = await step()
    return outcome
  })
}

/** Runs up to `most` steps, at the store's time `now`; returns whether more may be left. */
export const fill = async (file: string, now: number, most: number): Promise<Outcome> =>
  isDatabaseUrl(file) ? fillDatabase(file, now, most) : fillFile(file, now, most)
