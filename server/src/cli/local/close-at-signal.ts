// Ends a running service in good order: no new connections, the answers that are under way, then the store.
import closeWithGrace, { type Options } from 'close-with-grace'
import { type FaultLog, reportUnhandledRejections } from '../../compose/log.ts'
import { reportFailure } from '../terminal/exit.ts'

/** How long answers that are under way may take once the process got a signal to end. */
const CLOSE_MILLISECONDS_MAX = 10_000

type Ending = {
  readonly drainSeconds: number
  readonly report: FaultLog
  /** At SIGHUP, in place of an end. */
  readonly onHangUp?: () => void
}

/**
 * A second signal ends the process at once. An exception that nothing catches ends it too, in the same good order: what
 * it broke is not known. A rejection that nobody waits for does not.
 */
export const closeAtSignal = ({ drainSeconds, report, onHangUp }: Ending, close: () => Promise<void>): void => {
  reportUnhandledRejections(report)
  const delay = 1000 * drainSeconds + CLOSE_MILLISECONDS_MAX
  const skip: Options['skip'] = onHangUp === undefined ? ['unhandledRejection'] : ['unhandledRejection', 'SIGHUP']
  if (onHangUp !== undefined) process.on('SIGHUP', onHangUp)
  closeWithGrace({ delay, logger: false, skip }, async ({ err }) => {
    if (err !== undefined) reportFailure(err, 'text')
    await close()
  })
}
