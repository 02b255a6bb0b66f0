// One reading at a time for all who need it. In a worker a reading ends with the request that began it, even if others wait for it.
import { elapsedMs, type Instant, instantOf, type Runtime } from '../wire/runtime.ts'

/** `ended` never rejects by itself. */
type Reading = { readonly since: Instant; readonly ended: Promise<void> }

/** How many readings of other requests a reading waits for before it gives up. */
const LOST_READINGS_MAX = 2

export type SharedReading = {
  /** Joins the reading under way, or begins one. A caller whose reading was lost with its request reads again itself. */
  readonly once: () => Promise<void>
  readonly isUnderWay: () => boolean
  /** Whether the one under way will never end. */
  readonly isLost: () => boolean
}

/** `msMax` is longer than any reading takes. `read` never rejects, and changes nothing where it is not awaited any more. */
export const makeSharedReading = (
  runtime: Runtime,
  msMax: number,
  read: (isAwaited: () => boolean) => Promise<void>,
): SharedReading => {
  let reading: Reading | undefined

  const msLeft = ({ since }: Reading): number => Math.max(0, msMax - elapsedMs(runtime, since))

  /** Whether the reading ended: false where it was lost, which a runtime may say by a rejection. */
  const hasEnded = (one: Reading): Promise<boolean> =>
    new Promise(resolve => {
      const cancel = runtime.after(msLeft(one), () => resolve(false))
      const end = (isEnded: boolean) => (): void => {
        cancel()
        resolve(isEnded)
      }
      one.ended.then(end(true), end(false))
    })

  const run = async (isAwaited: () => boolean): Promise<void> => {
    await read(isAwaited)
    if (isAwaited()) reading = undefined
  }

  const begin = (): Reading => {
    const own: Reading = { since: instantOf(runtime), ended: run(() => reading === own) }
    reading = own
    return own
  }

  return {
    once: async () => {
      for (let lost = 0; lost <= LOST_READINGS_MAX; lost += 1) {
        const current = reading ?? begin()
        if (await hasEnded(current)) return
        if (reading === current) reading = undefined
      }
    },
    isUnderWay: () => reading !== undefined,
    isLost: () => reading !== undefined && msLeft(reading) === 0,
  }
}
