// A queue that callers share in turns: each network has one turn, however many of its requests wait.

export type FairQueue<Item> = {
  readonly size: () => number
  readonly push: (network: string, item: Item) => void
  /** Removes the next item: of the networks that wait, the one whose last turn is longest ago. */
  readonly take: () => Item | undefined
  /** Removes the last item of the network that has the most, where that has more than `network` would have with one more. */
  readonly makeRoom: (network: string) => Item | undefined
}

/** The items of one network. The first of them is at `from`: an array that is shifted costs as much as it is long. */
type Own<Item> = { readonly items: Item[]; from: number }

const lengthOf = ({ items, from }: Own<unknown>): number => items.length - from

export const makeFairQueue = <Item>(): FairQueue<Item> => {
  // In the order of their turns.
  const waiting = new Map<string, Own<Item>>()
  let size = 0

  const takeFrom = (network: string, own: Own<Item>): Item | undefined => {
    const item = own.items[own.from]
    own.from += 1
    waiting.delete(network)
    if (lengthOf(own) === 0) return item
    // Half of it is taken.
    if (own.from >= own.items.length / 2) {
      own.items.splice(0, own.from)
      own.from = 0
    }
    waiting.set(network, own)
    return item
  }

  const busiest = (): [string, Own<Item>] | undefined => {
    let most: [string, Own<Item>] | undefined
    for (const one of waiting) if (most === undefined || lengthOf(one[1]) > lengthOf(most[1])) most = one
    return most
  }

  return {
    size: () => size,
    push: (network, item) => {
      const own = waiting.get(network)
      if (own === undefined) waiting.set(network, { items: [item], from: 0 })
      else own.items.push(item)
      size += 1
    },
    take: () => {
      const [first] = waiting
      if (first === undefined) return undefined
      size -= 1
      return takeFrom(...first)
    },
    makeRoom: network => {
      const most = busiest()
      const own = waiting.get(network)
      if (most === undefined || lengthOf(most[1]) <= (own === undefined ? 0 : lengthOf(own)) + 1) return undefined
      const [name, { items }] = most
      const item = items.pop()
      size -= 1
      if (lengthOf(most[1]) === 0) waiting.delete(name)
      return item
    },
  }
}
