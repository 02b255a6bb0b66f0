// Work for a whole group at once that is done again for each member by itself where it fails: a bad member fails alone.
import { Unavailable } from './refusal.ts'

type Work<In, Out> = (members: readonly In[]) => Promise<readonly (Out | Error)[]>

const errorOf = (fault: unknown): Error => (fault instanceof Error ? fault : new Error(String(fault)))

/** After Unavailable nothing more is asked: whoever comes next would wait for the same store. */
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
 * One outcome for each member, in order; an Error is its own. `work` throws Unavailable where it is unknown whether it did
 * anything, and that is the outcome of all: nothing is done twice. It throws anything else only where it did nothing.
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
