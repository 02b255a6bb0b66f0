// Opens the view that jobs work with: after the locks, at one time, with the lease of the clock ahead of it.
import type { Timing } from '../../../ports/timing.ts'
import { makeLiveTokens, type NumberedTable, type Transaction } from '../../transaction.ts'
import { makeSets, type Sets } from '../../ledger/interned-sets.ts'
import { first, only, type Program } from '../../statement-program.ts'
import type { Knowledge } from '../../schema-version.ts'
import type { DatabaseClock, DatabaseTime } from '../connection/clock.ts'
import {
  BEFORE_BLOCKED_SUBJECTS,
  BEFORE_ENDS_OF_AGENTS,
  BEFORE_FEED,
  BEFORE_LINEAGE,
  BEFORE_JWT_EXCHANGE,
  type Connection,
  listOfNames,
} from '../connection/connection.ts'
import { endedBetween } from '../partitions/partitions.ts'
import type { Session } from '../connection/session.ts'
import type { ProgramRunner } from '../connection/run-program.ts'

export type Opened = {
  readonly tx: Transaction
  /** Clears the cache after a part of the transaction was rolled back: it may contain what was rolled back. */
  readonly forget: () => void
}

/** `excludesTokens`: whether it waits for the tokens that are being written, and lets none be written until its end. */
export type OpenTransaction = (connection: Connection, excludesTokens: boolean) => Promise<Opened>

// The message makes every transaction one that writes, so that its commit waits for the disk and the standby: an act that
// finds its work done already must not be acknowledged before the one that did it is durable.
const MOMENT = `select mintmark_now() as reported, last_at as "lastAt", clock_lease as "clockLease",
  pg_logical_emit_message(true, 'mintmark', '') as emitted from service`

const LAST_GIVEN = 'select n from given where what = ?'

/** The number that was last given in a table. */
export const lastGiven = function* (table: NumberedTable): Program<number> {
  return (yield* only<{ n: number }>(LAST_GIVEN, table)).n
}

const earlier = (sessions: readonly string[]): string => `select 1 as found from pg_stat_activity
  where datname = current_database() and application_name in (${listOfNames(sessions)}) limit 1`

const BEFORE = [BEFORE_LINEAGE, BEFORE_FEED, ...BEFORE_JWT_EXCHANGE, BEFORE_BLOCKED_SUBJECTS, BEFORE_ENDS_OF_AGENTS]

/** Those of a name, and all before. */
const until = (last: string): string => earlier(BEFORE.slice(0, BEFORE.indexOf(last) + 1))

const EARLIER: Readonly<Record<Knowledge, string>> = {
  lineage: until(BEFORE_LINEAGE),
  'revocation feed': until(BEFORE_FEED),
  'exchange of JWTs': until(BEFORE_JWT_EXCHANGE[1]),
  'blocked subjects': until(BEFORE_BLOCKED_SUBJECTS),
  'ends of agents': until(BEFORE_ENDS_OF_AGENTS),
}

export function* isEarlierServing(knowledge: Knowledge): Program<boolean> {
  return (yield* first(EARLIER[knowledge])) !== undefined
}

/** `known` is what is cached of sets beyond a transaction: what their numbers stand for. */
export const transactionOpener =
  (
    session: Pick<Session, 'runner' | 'leaseMs'> & {
      readonly clock: Pick<DatabaseClock, 'observe'>
      readonly timing: Pick<Timing, 'liveRecountMs'>
    },
    known: Pick<Sets, 'scope' | 'audience' | 'lineage' | 'issuer'>,
  ): OpenTransaction =>
  async (connection, excludesTokens) => {
    const { runner, clock } = session
    // Sent one after another without waiting: the time is read after the locks, whatever they wait for.
    const locks = [lockService(runner, connection), ...(excludesTokens ? [lockTokens(runner, connection)] : [])]
    const asked = runner.ask(connection, MOMENT)
    asked.catch(() => undefined)
    await Promise.all(locks)
    const moment = (await asked).rows[0] as DatabaseTime // as the statement lists it
    const now = clock.observe(moment)
    if (now > moment.clockLease - session.leaseMs / 2) {
      await runner.ask(connection, 'update service set clock_lease = ?', now + session.leaseMs)
    }
    // What numbers stand for never changes; which number a text has is of this transaction, which may be rolled back.
    const { scope, audience, lineage, issuer } = known
    const sets = { ...makeSets(), scope, audience, lineage, issuer }
    const live = makeLiveTokens(session.timing)
    const tx = { now, sets, live, endings: [], endedBetween, isEarlierServing, lastGiven }
    const forget = (): void => {
      sets.forget()
      live.forget(null)
    }
    return { tx, forget }
  }

/**
 * Locked in share mode by a writer of tokens until its commit, and in exclusive mode by an act. So a token that was decided on before
 * an act is either written when the act begins, or finds another number of the service when it is to be written, and is not.
 */
export const TOKENS_LOCK = 4_937_003

/** First in a transaction of an act: one of them at a time, in the order of their numbers. */
export const lockService = async ({ ask }: ProgramRunner, connection: Connection): Promise<void> => {
  const { rows } = await ask(connection, 'select one from service for update')
  if (rows.length !== 1) throw new Error('The store has no service row.')
}

/** Second: waits until no token is being written. */
export const lockTokens = async ({ ask }: ProgramRunner, connection: Connection): Promise<void> => {
  await ask(connection, 'select pg_advisory_xact_lock(?)', TOKENS_LOCK)
}
