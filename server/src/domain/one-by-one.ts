// Work for a whole group at once. If it fails, it is repeated for each member alone, so that a bad member fails alone.
import { Unavailable } from './refusal.ts'

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

/** Members of a group, at most: a larger one gains little, and its last member waits for all (measured for the store's inserts). */
export const GROUP_MAX = 256

type Work<In, Out> = (members: readonly In[]) => Promise<readonly (Out | Error)[]>

const errorOf = (fault: unknown): Error => (fault instanceof Error ? fault : new Error(String(fault)))

/** Stops after Unavailable: the next member would wait for the same store. */
const runEach = async <In, Out>(members: readonly In[], work: Work<In, Out>): Promise<readonly (Out | Error)[]> => {
  const outcomes: (Out | Error)[] = []
  for (const member of members) {
    try {
      const [outcome = new Error('A member of a group was not answered.')] = await work([member])
      outcomes.push(outcome)
    } catch (fault) {
      if (fault instanceof Unavailable) return [...outcomes, ...members.slice(outcomes.length).map(() => fault)]
      outcomes.push(errorOf(fault))
    }
  }
  return outcomes
}

/**
 * One outcome for each member, in order; an Error belongs to one member. `work` throws Unavailable if it is unknown whether it
 * did anything; that is then the outcome of all, and nothing is repeated. It throws anything else only if it did nothing.
 */
export const oneByOne = async <In, Out>(
  members: readonly In[],
  work: Work<In, Out>,
): Promise<readonly (Out | Error)[]> => {
  if (members.length === 0) return []
  try {
    return await work(members)
  } catch (fault) {
    if (fault instanceof Unavailable || members.length === 1) return members.map(() => errorOf(fault))
  }
  return runEach(members, work)
}
