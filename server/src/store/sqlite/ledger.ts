// The ledger's port over the reading connection and the writing thread.
import { setImmediate as turn } from 'node:timers/promises'
import type { MonotonicMilliseconds } from '../../domain/time.ts'
import type { TokenLedger } from '../../ports.ts'
import { findTokens } from './find-tokens.ts'
import type { Labels } from '../ledger/labels.ts'
import { listEndedTokens } from '../lists/list-history.ts'
import { listLiveTokens } from '../lists/list-tokens.ts'
import { unpackOutcome } from './outcomes.ts'
import type { Reader } from './reader.ts'
import { type PackedTokens, packTokens } from './rows.ts'
import { showToken } from '../ledger/show-token.ts'
import type { Writer } from './writer-client.ts'

type WriteTokens = (packed: PackedTokens, until?: MonotonicMilliseconds) => Promise<Uint32Array>

const insertBy =
  (write: WriteTokens): TokenLedger['insert'] =>
  async (tokens, until) =>
    Array.from(await write(packTokens(tokens), until), unpackOutcome)

/** Runs reads one after another with a turn of the event loop between them: a long page delays others by one page only. */
const oneAtATime = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(read: () => Promise<T>): Promise<T> => {
    const next = last.then(() => turn()).then(read)
    last = next.catch(() => undefined)
    return next
  }
}

export const makeLedger = (reader: Reader, labels: Labels, writer: Writer): TokenLedger => {
  const queued = oneAtATime()
  return {
    find: async addresses =>
      addresses.length === 0 ? [] : reader.read(snapshot => findTokens(snapshot, labels, addresses)),
    insert: insertBy((packed, until) => writer.call('insertTokens', packed, [packed.rows], until)),
    exclusively: (work, until) => writer.hold(holder => work({ insert: insertBy(holder.insert) }), until),
    end: (address, reason, act, until) => writer.call('endToken', { address, reason, act }, [], until),
    endAll: (conditions, reason, act) => writer.call('endAll', { conditions, reason, act }),
    show: tokenId => reader.read(snapshot => showToken(snapshot, labels, tokenId)),
    listLive: request => queued(() => reader.read(snapshot => listLiveTokens(snapshot, labels, request))),
    listEnded: request => queued(() => reader.read(snapshot => listEndedTokens(snapshot, labels, request))),
  }
}
