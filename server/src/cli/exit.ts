// How a command ends when it does not succeed: a line on standard error, and the exit code, of which this is the list.
import { CommanderError } from 'commander'
import { ConfigurationError } from '../config.ts'
import { TOO_FEW_FILES } from '../domain/open-files.ts'
import { Unavailable } from '../domain/refusal.ts'
import { StartRefused } from '../start-refused.ts'
import { printError } from './print.ts'

export const EXIT = {
  /** Refused, or failed in any way that has no code of its own. */
  failed: 1,
  usage: 2,
  /** The token that was asked about is not active. */
  notActive: 3,
  /** The service does not take the credential, or it lacks the right. */
  unauthorized: 4,
  /** No connection, no answer in time, or a service that cannot answer for certain right now. */
  unreachable: 5,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The command did not do what it was asked; its message is for the person at the terminal. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
  readonly exitCode: ExitCode
  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

type Failure = { readonly line: string; readonly exitCode: ExitCode }

const lacksFiles = (error: unknown): error is Error =>
  error instanceof Error &&
  (('code' in error && error.code === 'EMFILE') || /\bEMFILE\b|too many open files/i.test(error.message))

// Which file it was says nothing where it is one of the program itself.
const withAdvice = ({ message }: Error): string => (message.includes(TOO_FEW_FILES) ? message : TOO_FEW_FILES)

const failureOf = (error: unknown): Failure => {
  if (lacksFiles(error)) return { line: withAdvice(error), exitCode: EXIT.failed }
  if (error instanceof CommandFailed) return { line: error.message, exitCode: error.exitCode }
  if (error instanceof ConfigurationError || error instanceof StartRefused) {
    return { line: error.message, exitCode: EXIT.failed }
  }
  if (error instanceof Unavailable) {
    const line = `${error.message} Whether anything changed is unknown; run the command again.`
    return { line, exitCode: EXIT.unreachable }
  }
  // A fault of ours: its stack is what a report needs.
  const stack = error instanceof Error ? error.stack : String(error)
  return { line: `internal fault, please report it: ${stack}`, exitCode: EXIT.failed }
}

/** Tells the person at the terminal why the command failed, and gives the exit code. */
export const reportFailure = (error: unknown): number => {
  // Commander has printed its own message by now; help and version end with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage
  const { line, exitCode } = failureOf(error)
  printError(line)
  return exitCode
}
