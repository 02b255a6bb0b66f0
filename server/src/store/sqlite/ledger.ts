// The ledger's port over the reading connection and the writing thread.
import type { InsertOutcome, NewToken, TokenLedger } from '../../ports.ts'
import { findTokens } from './find-tokens.ts'
import { INSERTED, NO_ROOM } from './insert-tokens.ts'
import type { Labels } from './labels.ts'
import { listEndedTokens } from './list-history.ts'
import { listLiveTokens } from './list-tokens.ts'
import type { Reader } from './reader.ts'
import { type PackedTokens, packTokens } from './rows.ts'
import type { Writer } from './writer-client.ts'

const outcomesOf = (outcomes: Uint8Array): readonly InsertOutcome[] =>
  Array.from(outcomes, outcome =>
    outcome === INSERTED ? 'inserted' : outcome === NO_ROOM ? 'no_room' : 'decide_again',
  )

const insertBy = (write: (packed: PackedTokens) => Promise<Uint8Array>) => async (tokens: readonly NewToken[]) =>
  outcomesOf(await write(packTokens(tokens)))

export const makeLedger = (reader: Reader, labels: Labels, writer: Writer): TokenLedger => ({
  find: async addresses =>
    addresses.length === 0 ? [] : reader.read(snapshot => findTokens(snapshot, labels, addresses)),
  insert: insertBy(packed => writer.call('insertTokens', packed, [packed.rows])),
  exclusively: work => writer.hold(holder => work({ insert: insertBy(holder.insert) })),
  end: (address, reason, act) => writer.call('endToken', { address, reason, act }),
  endAll: (conditions, reason, act) => writer.call('endAll', { conditions, reason, act }),
  listLive: request => reader.read(snapshot => listLiveTokens(snapshot, labels, request)),
  listEnded: request => reader.read(snapshot => listEndedTokens(snapshot, labels, request)),
})
