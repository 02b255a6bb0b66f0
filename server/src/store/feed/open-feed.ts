// Opens the revocation feed, and begins another epoch where history is rewritten: positions then mean something else.
import { randomUUID } from 'node:crypto'
import { EXCLUDE, excludeEarlierPrograms } from '../schema-version.ts'
import { first, run, type Program } from '../statement-program.ts'
import { nextSeq, type Transaction } from '../transaction.ts'
import { appendOpening } from './append-facts.ts'

const BEGIN = 'update service set feed_epoch = ?'

/** Followers of the epoch before start over. */
export const beginEpoch = (): Program<number> => run(BEGIN, randomUUID())

/** The feed of a new store is open from the start: nothing ended before it. For the transaction that makes the store. */
export const openNewFeed = (): readonly { readonly text: string; readonly values: readonly string[] }[] => [
  { text: BEGIN, values: [randomUUID()] },
  { text: EXCLUDE, values: ['revocation feed'] },
]

const CLOSED = `select 1 as found from service where feed_epoch = ''`

/** Whether the store was made before there was a feed, which then has yet to be opened. */
export function* isFeedClosed(): Program<boolean> {
  return (yield* first(CLOSED)) !== undefined
}

/**
 * Opens the feed once no program uses the store that ends tokens without a fact in the feed. Older tokens may have been
 * ended by such a program: the opening makes verifiers ask the service about them.
 */
export function* openFeed(tx: Transaction): Program<void> {
  if (yield* tx.isEarlierServing('revocation feed')) return
  yield* excludeEarlierPrograms('revocation feed')
  const seq = yield* nextSeq(tx)
  yield* appendOpening(tx, seq)
  yield* beginEpoch()
}
