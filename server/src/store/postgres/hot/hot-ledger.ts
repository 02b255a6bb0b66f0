// What of the ledger is done most: look-ups and plain tokens go in batches.
import { GROUP_MAX, oneByOne } from '../../../domain/one-by-one.ts'
import { Unavailable } from '../../../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { InsertOutcome, NewToken, TokenLedger } from '../../../ports/ports.ts'
import type { Lease } from '../../lease.ts'
import type { NameCaches } from '../../ledger/name-caches.ts'
import type { Sets } from '../../ledger/interned-sets.ts'
import type { HotLedger } from '../../ledger/token-ledger.ts'
import { makeBatches } from './batches.ts'
import { makeFindTokens } from './find-tokens.ts'
import { makeWritePlain, type PlainOutcome } from './insert-plain.ts'
import { groupOf, insertTokens } from '../../ledger/insert-tokens.ts'
import { cut, type BatchedLookup } from './batched-lookup.ts'
import type { Session } from '../connection/session.ts'
import type { GroupWriter } from '../writer/writer.ts'

const INSERTS_IN_FLIGHT_MAX = 3

type HotParts = {
  readonly lookup: BatchedLookup
  readonly writer: GroupWriter
  readonly nameCaches: NameCaches
  readonly sets: Sets
  readonly lease: Lease
  /** The time by which a step that begins now must be done, where its caller names none or a later one. */
  readonly deadline: (until?: MonotonicMilliseconds) => MonotonicMilliseconds
}

const makeFind = (session: Session, { lookup, nameCaches, sets, lease, deadline }: HotParts): TokenLedger['find'] => {
  const ask = makeFindTokens(session, { lookup, nameCaches, sets, lease })
  return async addresses => (addresses.length === 0 ? [] : lease.answer(() => ask(addresses, deadline())))
}

const isFault = (outcome: InsertOutcome | Error): outcome is Error => outcome instanceof Error

/** Returns the outcomes, unless all of them are faults: then it throws one. */
const settled = (outcomes: readonly (InsertOutcome | Error)[]): readonly (InsertOutcome | Error)[] => {
  const [first] = outcomes
  if (first === undefined || !isFault(first) || !outcomes.every(isFault)) return outcomes
  // Where the outcome of one token is unknown, that of the group is.
  const unknown = outcomes.find(fault => fault instanceof Unavailable)
  throw unknown ?? first
}

const makeInsert = (session: Session, { writer, lease, deadline }: HotParts): TokenLedger['insert'] => {
  const writePlain = makeWritePlain(session, lease)

  const ask = makeBatches<readonly NewToken[], readonly PlainOutcome[]>({
    pool: session.pool,
    inFlightMax: INSERTS_IN_FLIGHT_MAX,
    sizeMax: GROUP_MAX,
    send: async (connection, batch) => {
      const lengths = batch.map(tokens => tokens.length)
      return cut(await writePlain(connection, batch.flat()), lengths)
    },
  })

  const writeByProgram = (tokens: readonly NewToken[], until: MonotonicMilliseconds) =>
    writer.run({ queue: 'tokens', perform: tx => insertTokens(tx, groupOf(tokens)), until })

  return async (tokens, until) => {
    const by = deadline(until)
    const plain = await oneByOne(tokens, some => ask(some, by))
    const others = tokens.filter((_, n) => plain[n] === 'later')
    const written = (await oneByOne(others, some => writeByProgram(some, by))).values()
    return settled(plain.map(outcome => (outcome === 'later' ? (written.next().value ?? 'decide_again') : outcome)))
  }
}

/** What of the ledger's port this store does in its own way. */
export const makeHotLedger = (session: Session, parts: HotParts): HotLedger => ({
  find: makeFind(session, parts),
  insert: makeInsert(session, parts),
  exclusively: (work, until) =>
    parts.writer.exclusively(
      owner => work({ insert: tokens => owner.run(tx => insertTokens(tx, groupOf(tokens))) }),
      parts.deadline(until),
    ),
})
