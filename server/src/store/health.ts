// The port that tells whether the store can serve.
import { Unavailable } from '../domain/refusal.ts'
import type { StoreHealth } from '../ports/ports.ts'
import { given } from './statement-program.ts'
import type { Reader } from './snapshot.ts'

/** `proveWrite` writes, waits until that is durable, and changes nothing. */
export const makeHealth = (reader: Reader, verifyWrite: () => Promise<unknown>): StoreHealth => ({
  check: async () => {
    try {
      await verifyWrite()
      return await reader.read(() => given(null))
    } catch (fault) {
      if (fault instanceof Unavailable) return fault.message
      throw fault
    }
  },
})
