// What is remembered only while `service.seq` is the number it was read at: that number is read each time.
import type { Freshness } from '../../ports.ts'
import type { Script } from '../script.ts'
import type { Snapshot } from '../snapshot.ts'

const REMEMBERED_MAX = 10_000

export type SeqMemory<T> = {
  /** What is remembered and still holds in the snapshot, where `freshness` allows it; else it is read. */
  readonly find: (snapshot: Snapshot, key: string, freshness: Freshness) => Script<T | undefined>
}

/** Remembers what was found, never what was not: a refusal is read anew. */
export const makeSeqMemory = <T>(read: (key: string) => Script<T | undefined>): SeqMemory<T> => {
  const known = new Map<string, T>()
  let seq = -1

  /** Another snapshot may be read meanwhile, an older one too: what was found in that one is not what holds now. */
  const keep = (readAt: number, key: string, found: T | undefined): void => {
    if (readAt !== seq) return
    if (found === undefined) known.delete(key)
    else known.set(key, found)
  }

  return {
    find: function* ({ service }, key, freshness) {
      if (service.seq > seq || known.size >= REMEMBERED_MAX) known.clear()
      seq = Math.max(seq, service.seq)
      const remembered = freshness === 'cached' && service.seq === seq ? known.get(key) : undefined
      if (remembered !== undefined) return remembered
      const found = yield* read(key)
      keep(service.seq, key, found)
      return found
    },
  }
}
