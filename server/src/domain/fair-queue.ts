// A bounded queue that callers share in turns: each key, such as a network or an API key, has one turn, however many of its
// items wait.

export type FairQueue<Item> = {
  readonly size: () => number
  /**
   * Adds an item where fewer than `max` wait. Otherwise returns the one that leaves: the last of the key that has the most, or
   * the new one itself where no key has more than its own would have.
   */
  readonly push: (key: string, item: Item, max: number) => Item | undefined
  /** Removes the next item: of the keys that wait, and may have a turn, the one whose last turn is longest ago. */
  readonly take: (mayHaveTurn?: (key: string) => boolean) => Item | undefined
  /** Whether the item waited until now. */
  readonly remove: (key: string, item: Item) => boolean
}

/** The items of one key. The first of them is at `from`: an array that is shifted costs as much as it is long. */
type Own<Item> = { readonly items: Item[]; from: number }

const anyKey = (): boolean => true

const lengthOf = ({ items, from }: Own<unknown>): number => items.length - from

export const makeFairQueue = <Item>(): FairQueue<Item> => {
  // In the order of their turns.
  const waiting = new Map<string, Own<Item>>()
  let size = 0

  const takeFrom = (key: string, own: Own<Item>): Item | undefined => {
    const item = own.items[own.from]
    own.from += 1
    waiting.delete(key)
    if (lengthOf(own) === 0) return item
    // Half of it is taken.
    if (own.from >= own.items.length / 2) {
      own.items.splice(0, own.from)
      own.from = 0
    }
    waiting.set(key, own)
    return item
  }

  const removeAt = (key: string, own: Own<Item>, at: number): Item | undefined => {
    const [item] = own.items.splice(at, 1)
    size -= 1
    if (lengthOf(own) === 0) waiting.delete(key)
    return item
  }

  const busiest = (): [string, Own<Item>] | undefined => {
    let most: [string, Own<Item>] | undefined
    for (const one of waiting) if (most === undefined || lengthOf(one[1]) > lengthOf(most[1])) most = one
    return most
  }

  return {
    size: () => size,
    push: (key, item, max) => {
      const own = waiting.get(key)
      let left: Item | undefined
      if (size >= max) {
        const most = busiest()
        if (most === undefined || lengthOf(most[1]) <= (own === undefined ? 0 : lengthOf(own)) + 1) return item
        left = removeAt(...most, most[1].items.length - 1)
      }
      if (own === undefined) waiting.set(key, { items: [item], from: 0 })
      else own.items.push(item)
      size += 1
      return left
    },
    take: (mayHaveTurn = anyKey) => {
      for (const [key, own] of waiting) {
        if (!mayHaveTurn(key)) continue
        size -= 1
        return takeFrom(key, own)
      }
      return undefined
    },
    remove: (key, item) => {
      const own = waiting.get(key)
      const at = own === undefined ? -1 : own.items.indexOf(item, own.from)
      if (own === undefined || at === -1) return false
      removeAt(key, own, at)
      return true
    },
  }
}
