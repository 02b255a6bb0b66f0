// In this folder: rules that several subjects share: callers, refusals, fair queues, restores. All of domain/ is pure.
// Puts what was found for some items of a group back at the places of those items.

/**
 * Returns for each item, in order, what was found if `isAsked`, and undefined otherwise. `found` has one entry for each that
 * `isAsked`, in order.
 */
export const atPlaces = <Item, Found>(
  items: readonly Item[],
  isAsked: (item: Item, n: number) => boolean,
  found: readonly Found[],
): readonly (Found | undefined)[] => {
  let next = 0
  return items.map((item, n) => (isAsked(item, n) ? found[next++] : undefined))
}
