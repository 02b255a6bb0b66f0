// What happens between the decision on tokens and their write, in front of the ledger of a service of a test.
import type { Ports } from '../../server/src/ports/ports.ts'

type Work = () => Promise<unknown>

/** Call it where the tests are declared, and give the service what `inFront` is as its `break`. */
export const makeInsertPause = () => {
  let pending: Work | undefined
  return {
    /** What happens once, before the next tokens are written. */
    next: (work: Work): void => {
      pending = work
    },
    /** Whether it is still to happen. */
    isPending: (): boolean => pending !== undefined,
    inFront: ({ ledger, ...ports }: Ports): Ports => ({
      ...ports,
      ledger: {
        ...ledger,
        insert: async (tokens, until) => {
          const work = pending
          pending = undefined
          await work?.()
          return ledger.insert(tokens, until)
        },
      },
    }),
  }
}
