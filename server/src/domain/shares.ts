// Counts what is under way, in all and of each caller, for limits that leave room to others.

/** One that is counted. Its owner releases it once. */
export type Permit = { readonly release: () => void }

export type Shares = {
  readonly all: () => number
  readonly of: (key: string) => number
  /** Counts one more of this key. The caller has compared the counts with its limits. */
  readonly take: (key: string) => Permit
}

export const makeShares = (): Shares => {
  // No entry for a key of which nothing is under way.
  const byKey = new Map<string, number>()
  let all = 0
  const of = (key: string): number => byKey.get(key) ?? 0

  const release = (key: string): void => {
    const left = of(key) - 1
    all -= 1
    if (left > 0) byKey.set(key, left)
    else byKey.delete(key)
  }

  return {
    all: () => all,
    of,
    take: key => {
      all += 1
      byKey.set(key, of(key) + 1)
      return { release: () => release(key) }
    },
  }
}
