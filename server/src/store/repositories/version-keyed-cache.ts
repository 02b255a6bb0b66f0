// A cache that is valid only while `service.seq` is the number it was read at: that number is read each time.
import type { Program } from '../statement-program.ts'
import type { Snapshot } from '../snapshot.ts'

const CACHED_MAX = 10_000

export type VersionKeyedCache<T> = {
  /** What is cached and valid in the snapshot. */
  readonly known: (snapshot: Snapshot, key: string) => T | undefined
  readonly read: (snapshot: Snapshot, key: string) => Program<T | undefined>
  /** Remembers what was read in that snapshot by other means; undefined: nothing was there. */
  readonly learn: (snapshot: Pick<Snapshot, 'service'>, key: string, found: T | undefined) => void
  /** Whether it was found lately, which says nothing of now. */
  readonly wasFound: (key: string) => boolean
}

/** Remembers what was found, never what was not: a refusal is read anew. */
export const makeVersionKeyedCache = <T>(read: (key: string) => Program<T | undefined>): VersionKeyedCache<T> => {
  const memory = new Map<string, T>()
  let seq = -1

  /** Whether the snapshot has the greatest number so far. A greater number than before clears the cache. */
  const isOfNow = ({ service }: Pick<Snapshot, 'service'>): boolean => {
    if (service.seq > seq) memory.clear()
    seq = Math.max(seq, service.seq)
    return service.seq === seq
  }

  const learn: VersionKeyedCache<T>['learn'] = (snapshot, key, found) => {
    // A newer snapshot may have been read since this one.
    if (!isOfNow(snapshot)) return
    if (memory.size >= CACHED_MAX) memory.clear()
    if (found === undefined) memory.delete(key)
    else memory.set(key, found)
  }

  return {
    known: (snapshot, key) => (isOfNow(snapshot) ? memory.get(key) : undefined),
    read: function* (snapshot, key) {
      const found = yield* read(key)
      learn(snapshot, key, found)
      return found
    },
    learn,
    wasFound: key => memory.has(key),
  }
}
