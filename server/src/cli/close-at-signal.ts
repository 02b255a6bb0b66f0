// Ends a running service in good order: no new connections, the answers that are under way, then the store.
import closeWithGrace from 'close-with-grace'
import { reportFailure } from './exit.ts'

/** How long answers that are under way may take once the process is told to end. */
const CLOSE_MILLISECONDS_MAX = 10_000

/** A second signal ends the process at once. */
export const closeAtSignal = (drainSeconds: number, close: () => Promise<void>): void => {
  closeWithGrace({ delay: 1000 * drainSeconds + CLOSE_MILLISECONDS_MAX, logger: false }, async ({ err }) => {
    if (err !== undefined) reportFailure(err, 'text')
    await close()
  })
}
