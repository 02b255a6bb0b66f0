// Outputs that cannot be written: what the command does is done all the same.
import { CommandFailed } from './exit.ts'

/** Whether it is a fault of writing to a file, a pipe or a terminal. */
export const isOutputFault = (fault: unknown): boolean =>
  fault instanceof Error && 'syscall' in fault && fault.syscall === 'write'

/**
 * A reader that has seen enough, such as `head`, may go away: what is still printed is lost, and the command ends as it would
 * have. Any other fault of standard output, such as a full disk, is reported once. Where an error cannot be printed its exit
 * code is left.
 */
export const surviveOutputFaults = (onFault: (failure: CommandFailed) => void): void => {
  let isReported = false
  process.stderr.on('error', () => undefined)
  process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code === 'EPIPE' || isReported) return
    isReported = true
    const code = fault.code ?? fault.message
    onFault(
      new CommandFailed(
        `Standard output cannot be written (${code}): what was asked is done, but what it prints is lost.`,
      ),
    )
  })
}
