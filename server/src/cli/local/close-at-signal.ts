// Ends a running service in good order: no new connections, the answers that are under way, then the store.
import closeWithGrace, { type Options } from 'close-with-grace'
import { type FaultLog, reportUnhandledRejections } from '../../compose/log.ts'
import type { Timing } from '../../ports/timing.ts'
import { reportFailure } from '../terminal/exit.ts'

type Ending = {
  readonly timing: Pick<Timing, 'drainMs' | 'closeMs'>
  readonly report: FaultLog
  /** At SIGHUP, in place of an end. */
  readonly onHangUp?: () => void
}

/**
 * A second signal ends the process at once. An exception that nothing catches ends it too, in the same good order: what
 * it broke is not known. A rejection that nobody waits for does not.
 */
export const closeAtSignal = ({ timing, report, onHangUp }: Ending, close: () => Promise<void>): void => {
  reportUnhandledRejections(report)
  const delay = timing.drainMs + timing.closeMs
  const skip: Options['skip'] = onHangUp === undefined ? ['unhandledRejection'] : ['unhandledRejection', 'SIGHUP']
  if (onHangUp !== undefined) process.on('SIGHUP', onHangUp)
  closeWithGrace({ delay, logger: false, skip }, async ({ err }) => {
    if (err !== undefined) reportFailure(err, 'text')
    await close()
  })
}
