// Ends a running service in good order: no new connections, the answers that are under way, then the store.
import closeWithGrace, { type Options } from 'close-with-grace'
import type { Logger } from 'pino'
import { type FaultLog, reportUnhandledRejections } from '../../compose/log.ts'
import { ownEnvironment } from '../../config/config.ts'
import type { Timing } from '../../ports/timing.ts'

type Ending = {
  readonly timing: Pick<Timing, 'drainMs' | 'closeMs' | 'launcherPollMs'>
  readonly report: FaultLog
  readonly logger: Pick<Logger, 'error'>
  /** At SIGHUP, in place of an end. */
  readonly onHangUp?: () => void
}

/** npx passes a signal to a shell that it starts this process by. The shell ends, and passes nothing on. */
const endWithLauncher = ({ launcherPollMs }: Ending['timing'], end: () => void): (() => void) => {
  if (ownEnvironment()['npm_lifecycle_event'] !== 'npx') return () => undefined
  const launcher = process.ppid
  const poll = setInterval(() => {
    if (process.ppid === launcher) return
    clearInterval(poll)
    end()
  }, launcherPollMs).unref()
  return () => clearInterval(poll)
}

/**
 * A second signal ends the process at once. An exception that nothing catches ends it too, in the same good order: what
 * it broke is not known. A rejection that nobody waits for does not.
 */
export const closeAtSignal = ({ timing, report, logger, onHangUp }: Ending, close: () => Promise<void>): void => {
  reportUnhandledRejections(report)
  const delay = timing.drainMs + timing.closeMs
  // `beforeExit` too: a start that failed ends with its own exit code, and closes by itself.
  const skip: Options['skip'] = ['unhandledRejection', 'beforeExit']
  if (onHangUp !== undefined) {
    skip.push('SIGHUP')
    process.on('SIGHUP', onHangUp)
  }
  const ending = closeWithGrace({ delay, logger: false, skip }, async ({ err }) => {
    stopPolling()
    if (err !== undefined) logger.error({ err }, 'the process failed and ends')
    await close()
  })
  const stopPolling = endWithLauncher(timing, ending.close)
}
