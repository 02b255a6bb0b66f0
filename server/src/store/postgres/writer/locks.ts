// The locks that order writers: the row of the service, and one between acts and new tokens.
import type { ProgramRunner } from '../connection/run-program.ts'
import type { Connection } from '../connection/connection.ts'

/**
 * Held by whoever writes tokens, shared, until its commit; and by an act, alone. So an act begins when every token that
 * was decided on before it is there, and whatever is decided on before it and comes later finds another number.
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
