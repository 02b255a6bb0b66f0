// What of the ledger's port SQLite does in its own way: looking tokens up, and handing new ones over to be written.
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { TokenLedger } from '../../../ports/ports.ts'
import type { Labels } from '../../ledger/name-caches.ts'
import type { HotLedger } from '../../ledger/token-ledger.ts'
import { findTokens } from './find-tokens.ts'
import { unpackOutcome } from '../writer/outcomes.ts'
import { type PackedTokens, packTokens } from '../writer/packed-tokens.ts'
import type { SqliteReader } from './reader.ts'
import type { SqliteWriter } from '../writer/writer-client.ts'

type WriteTokens = (packed: PackedTokens, until?: MonotonicMilliseconds) => Promise<Uint32Array>

const insertBy =
  (write: WriteTokens): TokenLedger['insert'] =>
  async (tokens, until) =>
    Array.from(await write(packTokens(tokens), until), unpackOutcome)

export const makeHotLedger = (reader: SqliteReader, labels: Labels, writer: SqliteWriter): HotLedger => ({
  find: async addresses =>
    addresses.length === 0 ? [] : reader.readDirectly(snapshot => findTokens(snapshot, labels, addresses)),
  insert: insertBy((packed, until) => writer.call('insertTokens', packed, until)),
  exclusively: (work, until) => writer.hold(owner => work({ insert: insertBy(owner.insert) }), until),
})
