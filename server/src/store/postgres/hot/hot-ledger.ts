// What of the ledger is done most: look-ups and plain tokens go in batches.
import { oneByOne } from '../../../domain/one-by-one.ts'
import { Unavailable } from '../../../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { InsertOutcome, NewToken, TokenLedger } from '../../../ports/ports.ts'
import type { Lease } from '../../lease.ts'
import type { Labels } from '../../ledger/name-caches.ts'
import type { Sets } from '../../ledger/interned-sets.ts'
import type { HotLedger } from '../../ledger/token-ledger.ts'
import type { Transaction } from '../../transaction.ts'
import { makeBatches } from './batches.ts'
import { makeFindTokens } from './find-tokens.ts'
import { isPlain, makeWritePlain, type PlainOutcome } from './insert-plain.ts'
import { insertTokens, keepForTokens } from './insert-tokens.ts'
import { cut, type BatchedLookup } from './batched-lookup.ts'
import type { Session } from '../connection/session.ts'
import type { GroupWriter } from '../writer/writer.ts'

const INSERTS_IN_FLIGHT_MAX = 3
const INSERT_TOGETHER_MAX = 256

type HotParts = {
  readonly look: BatchedLookup
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

type Step = (tokens: readonly NewToken[], until: MonotonicMilliseconds) => Promise<readonly PlainOutcome[]>

const isFault = (outcome: InsertOutcome | Error): outcome is Error => outcome instanceof Error

/** The outcomes, where one of them is none of a fault. */
const settled = (outcomes: readonly (InsertOutcome | Error)[]): readonly (InsertOutcome | Error)[] => {
  const [first] = outcomes
  if (first === undefined || !isFault(first) || !outcomes.every(isFault)) return outcomes
  // Where it is not known of one, it is not known of all.
  const unknown = outcomes.find(fault => fault instanceof Unavailable)
  throw unknown ?? first
}

const makeInsert = (session: Session, { writer, lease, deadline }: HotParts): TokenLedger['insert'] => {
  const writePlain = makeWritePlain(session, lease)

  const ask = makeBatches<readonly NewToken[], readonly PlainOutcome[]>({
    pool: session.pool,
    inFlightMax: INSERTS_IN_FLIGHT_MAX,
    sizeMax: INSERT_TOGETHER_MAX,
    send: async (connection, batch) => {
      const lengths = batch.map(tokens => tokens.length)
      return cut(await writePlain(connection, batch.flat()), lengths)
    },
  })

  /** Keeps what the tokens share with others, and writes them then. */
  const writeKept = async (tokens: readonly NewToken[], until: MonotonicMilliseconds) => {
    const perform = (tx: Transaction) => keepForTokens(tx, tokens)
    const without = await writer.run({ queue: 'tokens', perform, until })
    const kept = tokens.filter(token => !without.has(token))
    const written = kept.length === 0 ? [] : await ask(kept, until)
    const outcomes = new Map(kept.map((token, n) => [token, written[n]]))
    return tokens.map(token => (without.has(token) ? 'no_room' : (outcomes.get(token) ?? 'later')))
  }

  return async (tokens, until) => {
    const by = deadline(until)
    const outcomes = new Map<NewToken, InsertOutcome | Error>()

    // Each step writes all of its tokens or none of them.
    const write = async (some: readonly NewToken[], step: Step): Promise<readonly NewToken[]> => {
      const given = await oneByOne(some, few => step(few, by))
      return some.filter((token, n) => {
        const outcome = given[n] ?? 'later'
        if (outcome !== 'later') outcomes.set(token, outcome)
        return outcome === 'later'
      })
    }

    const later = await write(tokens, ask)
    const left = await write(later.filter(isPlain), writeKept)
    const rest = later.filter(token => !isPlain(token) || left.includes(token))
    await write(rest, few => writer.run({ queue: 'tokens', perform: tx => insertTokens(tx, few), until: by }))
    return settled(tokens.map(token => outcomes.get(token) ?? 'decide_again'))
  }
}

/** What of the ledger's port this store does in its own way. */
export const makeHotLedger = (session: Session, parts: HotParts): HotLedger => ({
  find: makeFind(session, parts),
  insert: makeInsert(session, parts),
  exclusively: (work, until) =>
    parts.writer.hold(
      owner => work({ insert: tokens => owner.run(tx => insertTokens(tx, tokens)) }),
      parts.deadline(until),
    ),
})
