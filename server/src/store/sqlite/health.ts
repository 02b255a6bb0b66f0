// The port that tells whether the store can serve.
import { Unavailable } from '../../domain/refusal.ts'
import type { StoreHealth } from '../../ports.ts'
import type { SqliteReader } from './reader.ts'
import type { SqliteWriter } from './writer-client.ts'

export const makeHealth = (reader: SqliteReader, writer: SqliteWriter): StoreHealth => ({
  check: async () => {
    try {
      await writer.call('proveWrite', null)
      return await reader.readDirectly(() => null)
    } catch (fault) {
      if (fault instanceof Unavailable) return fault.message
      throw fault
    }
  },
})
