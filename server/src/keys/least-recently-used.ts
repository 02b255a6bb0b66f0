// A bounded memory: what was asked for longest ago leaves first.

/** Gives the value of a key, made where it is not remembered; remembers at most `max`. */
export const remember = <T>(max: number, make: (key: string) => T): ((key: string) => T) => {
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
