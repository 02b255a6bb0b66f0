// A cache of a bounded number of values, each made when it is first asked for.

/** Keeps up to `max` values; the least recently used one goes first. */
export const cache = <T>(max: number, make: (key: string) => T): ((key: string) => T) => {
  const known = new Map<string, T>()
  return key => {
    const value = known.get(key) ?? make(key)
    known.delete(key)
    known.set(key, value)
    const [oldest] = known.keys()
    if (known.size > max && oldest !== undefined) known.delete(oldest)
    return value
  }
}
