// What is remembered only while `service.seq` is the number it was read at: that number is read each time.
import type { Program } from '../statement-program.ts'
import type { Snapshot } from '../snapshot.ts'

const CACHED_MAX = 10_000

export type VersionKeyedCache<T> = {
  /** What is remembered and holds in the snapshot. */
  readonly known: (snapshot: Snapshot, key: string) => T | undefined
  readonly read: (snapshot: Snapshot, key: string) => Program<T | undefined>
  /** Whether it was found lately, which says nothing of now. */
  readonly wasFound: (key: string) => boolean
}

/** Remembers what was found, never what was not: a refusal is read anew. */
export const makeVersionKeyedCache = <T>(read: (key: string) => Program<T | undefined>): VersionKeyedCache<T> => {
  const memory = new Map<string, T>()
  let seq = -1

  /** Forgets all where the snapshot is of a greater number. One of a smaller number is of no use to the memory. */
  const isOfNow = ({ service }: Snapshot): boolean => {
    if (service.seq > seq) memory.clear()
    seq = Math.max(seq, service.seq)
    return service.seq === seq
  }

  return {
    known: (snapshot, key) => (isOfNow(snapshot) ? memory.get(key) : undefined),
    read: function* (snapshot, key) {
      const found = yield* read(key)
      // Another snapshot may have been read meanwhile.
      if (!isOfNow(snapshot)) return found
      if (memory.size >= CACHED_MAX) memory.clear()
      if (found === undefined) memory.delete(key)
      else memory.set(key, found)
      return found
    },
    wasFound: key => memory.has(key),
  }
}
