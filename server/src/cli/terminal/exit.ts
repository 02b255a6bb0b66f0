// How a command ends when it does not succeed: a line on standard error, and the exit code, of which this is the list.
import { CommanderError } from 'commander'
import { ConfigurationError } from '../../config/config.ts'
import { TOO_FEW_FILES, Unavailable } from '../../domain/refusal.ts'
import { StartRefused } from '../../config/start-refused.ts'
import { OutputRefused } from '../../files/output.ts'
import { printError, printRemark } from './print.ts'

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
  /** The code of the error that the service answered; undefined where it was none of the service. */
  readonly error: string | undefined
  constructor(message: string, exitCode: ExitCode = EXIT.failed, error?: string) {
    super(message)
    this.exitCode = exitCode
    this.error = error
  }
}

type Failure = {
  readonly line: string
  readonly exitCode: ExitCode
  /** What the service called it. */
  readonly error?: string | undefined
}

const lacksFiles = (error: unknown): error is Error =>
  error instanceof Error &&
  (('code' in error && error.code === 'EMFILE') || /\bEMFILE\b|too many open files/i.test(error.message))

// Which file it was says nothing where it is one of the program itself.
const withAdvice = ({ message }: Error): string => (message.includes(TOO_FEW_FILES) ? message : TOO_FEW_FILES)

/** What a database says ends without a full stop. */
const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const lacksFolder = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd'

const NO_FOLDER = 'The folder in which this command was started is not there any more: change to another.'

const failureOf = (error: unknown): Failure => {
  if (lacksFolder(error)) return { line: NO_FOLDER, exitCode: EXIT.failed }
  if (lacksFiles(error)) return { line: withAdvice(error), exitCode: EXIT.failed }
  if (error instanceof CommandFailed) return { line: error.message, exitCode: error.exitCode, error: error.error }
  if (error instanceof ConfigurationError || error instanceof StartRefused || error instanceof OutputRefused) {
    return { line: error.message, exitCode: EXIT.failed }
  }
  if (error instanceof Unavailable) {
    const line = `${asSentence(error.message)} Whether anything changed is unknown; run the command again.`
    return { line, exitCode: EXIT.unreachable }
  }
  // A fault of ours: its stack is what a report needs.
  const stack = error instanceof Error ? error.stack : String(error)
  return { line: `internal fault, please report it: ${stack}`, exitCode: EXIT.failed }
}

const nameOf = (exitCode: ExitCode): string | undefined =>
  Object.entries(EXIT)
    .find(([, code]) => code === exitCode)?.[0]
    .replace('notActive', 'not_active')

/** As text for a person, or, where a program asked, as JSON: `error` and `error_description` as the API has them. */
const report = ({ line, exitCode, error = nameOf(exitCode) }: Failure, as: 'text' | 'json'): void => {
  if (as === 'text') printError(line)
  else printRemark(JSON.stringify({ error, error_description: line }))
}

/** Prints on standard error why the command failed, and returns the exit code. */
export const reportFailure = (error: unknown, as: 'text' | 'json'): number => {
  // Help and version end with 0; of anything else Commander has printed its message by now, but for programs.
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    const line = error.message.replace(/^error: /, '')
    if (as === 'json') report({ line, exitCode: EXIT.usage }, as)
    return EXIT.usage
  }
  const failure = failureOf(error)
  report(failure, as)
  return failure.exitCode
}
