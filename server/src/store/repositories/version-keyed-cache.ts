// A cache that is valid only while `service.seq` is the number it was read at: that number is read each time.
import type { Program } from '../statement-program.ts'
import type { Snapshot } from '../snapshot.ts'

const CACHED_MAX = 10_000

/** Remembers what was found, never what was not: a refusal is read anew. */
export const makeVersionKeyedCache = <T>(read: (key: string) => Program<T | undefined>) => {
  const memory = new Map<string, T>()
  let seq = -1

  /** Whether the snapshot has the greatest number so far. A greater number than before clears the cache. */
  const isOfNow = ({ service }: Pick<Snapshot, 'service'>): boolean => {
    if (service.seq > seq) memory.clear()
    seq = Math.max(seq, service.seq)
    return service.seq === seq
  }

  /** Remembers what was read in that snapshot; undefined: nothing was there. */
  const learn = (snapshot: Pick<Snapshot, 'service'>, key: string, found: T | undefined): void => {
    // A newer snapshot may have been read since this one.
    if (!isOfNow(snapshot)) return
    if (memory.size >= CACHED_MAX) memory.clear()
    if (found === undefined) memory.delete(key)
    else memory.set(key, found)
  }

  return {
    /** What is cached and valid in the snapshot. */
    known: (snapshot: Snapshot, key: string): T | undefined => (isOfNow(snapshot) ? memory.get(key) : undefined),
    read: function* (snapshot: Snapshot, key: string): Program<T | undefined> {
      const found = yield* read(key)
      learn(snapshot, key, found)
      return found
    },
    learn,
    /** Whether it was found lately, which says nothing of now. */
    wasFound: (key: string): boolean => memory.has(key),
  }
}

export type VersionKeyedCache<T> = ReturnType<typeof makeVersionKeyedCache<T>>
