// Look-ups by the ids of agents: what a screen asks for together is read with one request for each hundred.
import { LISTED_IDS_MAX } from '../../../api/values/lists.ts'

/** What is asked for again at one moment comes by a timer each. */
const GATHER_MS = 20

type Wanted<Value> = {
  readonly id: string
  readonly resolve: (value: Value | null) => void
  readonly reject: (fault: unknown) => void
}

/** Makes a look-up of one out of that of many; null where those have none of this id. */
export const makeBatched = <Value>(
  lookUpAll: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): ((id: string) => Promise<Value | null>) => {
  let wanted: Wanted<Value>[] = []

  const lookUp = async (some: readonly Wanted<Value>[]): Promise<void> => {
    try {
      const values = await lookUpAll(some.map(({ id }) => id))
      for (const { id, resolve } of some) resolve(values.get(id) ?? null)
    } catch (fault) {
      for (const { reject } of some) reject(fault)
    }
  }

  const lookUpWanted = (): void => {
    const all = wanted
    wanted = []
    for (let n = 0; n < all.length; n += LISTED_IDS_MAX) void lookUp(all.slice(n, n + LISTED_IDS_MAX))
  }

  return id =>
    new Promise((resolve, reject) => {
      if (wanted.length === 0) setTimeout(lookUpWanted, GATHER_MS)
      wanted.push({ id, resolve, reject })
    })
}
