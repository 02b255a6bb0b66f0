// How a command ends when it does not succeed: one line on standard error, and 1 for a refusal or 2 for a wrong usage.
import { CommanderError } from 'commander'
import { ConfigurationError } from '../config.ts'
import { type Refusal, Unavailable } from '../domain/refusal.ts'
import { StartRefused } from '../start-refused.ts'

export const EXIT_REFUSED = 1
export const EXIT_USAGE = 2

/** An operation said no. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused'
  constructor(refusal: Refusal) {
    super(refusal.description)
  }
}

/** What a command was asked to check is not as it should be. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
}

const TOLD = [CommandRefused, CheckFailed, ConfigurationError, StartRefused] as const

const lineOf = (error: unknown): string => {
  if (error instanceof Error && TOLD.some(kind => error instanceof kind)) return error.message
  if (error instanceof Unavailable)
    return `${error.message} Whether anything changed is unknown; run the command again.`
  // A fault of ours: its stack is what a report needs.
  return `internal fault, please report it: ${error instanceof Error ? error.stack : String(error)}`
}

/** Tells the person at the terminal why the command failed, and gives the exit code. */
export const reportFailure = (error: unknown): number => {
  // Commander has printed its own message by now; help and version end with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
  process.stderr.write(`mintmark: ${lineOf(error)}\n`)
  return EXIT_REFUSED
}
