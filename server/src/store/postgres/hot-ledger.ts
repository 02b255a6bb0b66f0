// What of the ledger is done most: look-ups and plain tokens go in batches.
import { Unavailable } from '../../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../../domain/time.ts'
import type { InsertOutcome, NewToken, TokenLedger } from '../../ports.ts'
import type { Lease } from '../lease.ts'
import type { Labels } from '../ledger/labels.ts'
import type { Sets } from '../ledger/sets.ts'
import type { HotLedger } from '../ledger/token-ledger.ts'
import type { Transaction } from '../transaction.ts'
import { makeBatches } from './batches.ts'
import type { Connection } from './connection.ts'
import { makeFindTokens } from './find-tokens.ts'
import { isPlain, makeWritePlain, type PlainOutcome } from './insert-plain.ts'
import { insertTokens, keepForTokens } from './insert-tokens.ts'
import { cut, type Look } from './look.ts'
import type { Session } from './session.ts'
import type { GroupWriter } from './writer.ts'

const INSERT_FLIGHTS_MAX = 3
const INSERT_TOGETHER_MAX = 256

type HotParts = {
  readonly look: Look
  readonly writer: GroupWriter
  readonly labels: Labels
  readonly sets: Sets
  readonly lease: Lease
  /** The time by which a step that begins now must be done, where its caller names none or a later one. */
  readonly deadline: (until?: MonotonicMilliseconds) => MonotonicMilliseconds
}

const makeFind = (session: Session, { look, labels, sets, lease, deadline }: HotParts): TokenLedger['find'] => {
  const ask = makeFindTokens(session, { look, labels, sets, lease })
  return async addresses => (addresses.length === 0 ? [] : lease.answer(() => ask(addresses, deadline())))
}

const makeInsert = (session: Session, { writer, lease, deadline }: HotParts): TokenLedger['insert'] => {
  const writePlain = makeWritePlain(session, lease)

  /** Each by itself where one of them spoils the statement of all. */
  const writeBatch = async (connection: Connection, batch: readonly (readonly NewToken[])[]) => {
    try {
      const lengths = batch.map(tokens => tokens.length)
      return cut(await writePlain(connection, batch.flat()), lengths)
    } catch (fault) {
      if (fault instanceof Unavailable || batch.length === 1) throw fault
    }
    const outcomes: (readonly PlainOutcome[] | Error)[] = []
    for (const tokens of batch) {
      outcomes.push(await writePlain(connection, tokens).catch((fault: unknown) => new Error(String(fault))))
    }
    return outcomes
  }

  const ask = makeBatches<readonly NewToken[], readonly PlainOutcome[] | Error>({
    pool: session.pool,
    flightsMax: INSERT_FLIGHTS_MAX,
    sizeMax: INSERT_TOGETHER_MAX,
    send: writeBatch,
  })

  type Outcomes = Map<NewToken, InsertOutcome>

  /** Writes those that are plain; gives the others. */
  const writeAll = async (tokens: readonly NewToken[], by: MonotonicMilliseconds, outcomes: Outcomes) => {
    const plain = await ask(tokens, by)
    if (plain instanceof Error) throw plain
    return tokens.filter((token, n) => {
      const outcome = plain[n] ?? 'later'
      if (outcome !== 'later') outcomes.set(token, outcome)
      return outcome === 'later'
    })
  }

  /** Those that lack but what they share with others: that is kept, and they are written as the rest. */
  const writeKept = async (tokens: readonly NewToken[], by: MonotonicMilliseconds, outcomes: Outcomes) => {
    const job = { lane: 'tokens' as const, perform: (tx: Transaction) => keepForTokens(tx, tokens), until: by }
    const without = await writer.run(job)
    for (const token of without) outcomes.set(token, 'no_room')
    return writeAll(
      tokens.filter(token => !without.has(token)),
      by,
      outcomes,
    )
  }

  return async (tokens, until) => {
    const by = deadline(until)
    const outcomes: Outcomes = new Map()
    const later = await writeAll(tokens, by, outcomes)
    const plain = later.filter(isPlain)
    const left = plain.length === 0 ? [] : await writeKept(plain, by, outcomes)
    const rest = later.filter(token => !isPlain(token) || left.includes(token))
    if (rest.length > 0) {
      const written = await writer.run({ lane: 'tokens', perform: tx => insertTokens(tx, rest), until: by })
      rest.forEach((token, n) => outcomes.set(token, written[n] ?? 'decide_again'))
    }
    return tokens.map(token => outcomes.get(token) ?? 'decide_again')
  }
}

/** What of the ledger's port this store does in its own way. */
export const makeHotLedger = (session: Session, parts: HotParts): HotLedger => ({
  find: makeFind(session, parts),
  insert: makeInsert(session, parts),
  exclusively: (work, until) =>
    parts.writer.hold(
      holder => work({ insert: tokens => holder.run(tx => insertTokens(tx, tokens)) }),
      parts.deadline(until),
    ),
})
