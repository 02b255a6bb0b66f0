// Divides what is sent or asked for among requests, each of which may hold only so much.

type PartMax = { readonly itemsMax: number; readonly weightMax: number }

/** The items in order, in parts of at most so many and of at most so much weight. An item that is heavier than that is a part by itself. */
export const inParts = <Item>(
  items: readonly Item[],
  { itemsMax, weightMax }: PartMax,
  weigh: (item: Item) => number,
): readonly (readonly Item[])[] => {
  const parts: Item[][] = []
  let weight = 0
  for (const item of items) {
    const more = weigh(item)
    const last = parts.at(-1)
    if (last !== undefined && last.length < itemsMax && weight + more <= weightMax) {
      last.push(item)
      weight += more
    } else {
      parts.push([item])
      weight = more
    }
  }
  return parts
}
