// What of the ledger's port SQLite does in its own way: looking tokens up, and handing new ones over to be written.
import type { Labels } from '../../ledger/name-caches.ts'
import type { HotLedger } from '../../ledger/token-ledger.ts'
import { findTokens } from './find-tokens.ts'
import { packTokens } from '../writer/packed-tokens.ts'
import type { SqliteReader } from './reader.ts'
import type { SqliteWriter } from '../writer/writer-client.ts'

export const makeHotLedger = (reader: SqliteReader, labels: Labels, writer: SqliteWriter): HotLedger => ({
  find: async addresses =>
    addresses.length === 0 ? [] : reader.readDirectly(snapshot => findTokens(snapshot, labels, addresses)),
  insert: (tokens, until) => writer.call('insertTokens', packTokens(tokens), until),
  exclusively: async (work, until) => {
    try {
      await writer.call('pauseActs', null, until)
      return await work({ insert: tokens => writer.call('insertTokens', packTokens(tokens), until) })
    } finally {
      // Where this fails, the pause ends by itself.
      writer.call('resumeActs', null).catch(() => undefined)
    }
  },
})
