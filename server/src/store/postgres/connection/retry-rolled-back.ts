// Asks the database again for what it took back: where some wait for one another in a circle it makes one of them give way.
import { isRolledBack } from './faults.ts'

const ATTEMPTS_MAX = 3

/** Nothing of an attempt that was taken back was done, so the next is as good as the first. */
export const askAgain = async <T>(attempt: () => Promise<T>): Promise<T> => {
  for (let n = 1; ; n += 1) {
    try {
      return await attempt()
    } catch (fault) {
      if (n === ATTEMPTS_MAX || !isRolledBack(fault)) throw fault
    }
  }
}
