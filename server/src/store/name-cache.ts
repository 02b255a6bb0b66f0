// What a number or a text stands for in the store, where that never changes: read once, then cached.
import type { Program } from './statement-program.ts'

const CACHED_MAX = 65_536

export type NameCache<Key, T> = {
  /** What is cached; undefined where nothing is. */
  readonly known: (key: Key) => T | undefined
  /** Reads it from the store, and remembers it. */
  readonly read: (key: Key) => Program<T>
  readonly forget: () => void
}

/** Puts a value into a memory of bounded size: one that is full begins anew. */
export const cache = <Key, T>(memory: Map<Key, T>, key: Key, value: T): T => {
  if (memory.size >= CACHED_MAX) memory.clear()
  memory.set(key, value)
  return value
}

/** `read` returns undefined where the store has no such thing; `what` it is, for the fault that this is. */
export const cached = <Key, T>(what: string, read: (key: Key) => Program<T | undefined>): NameCache<Key, T> => {
  const memory = new Map<Key, T>()
  return {
    known: key => memory.get(key),
    read: function* (key) {
      const found = yield* read(key)
      if (found === undefined) throw new Error(`The ledger names ${what} ${String(key)}, which is not there.`)
      return cache(memory, key, found)
    },
    forget: () => memory.clear(),
  }
}

/** What it stands for, from memory where it is there. */
export function* recall<Key, T>({ known, read }: NameCache<Key, T>, key: Key): Program<T> {
  return known(key) ?? (yield* read(key))
}
