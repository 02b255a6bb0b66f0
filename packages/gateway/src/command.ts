// Reads the arguments of `mintmark-verify`, and does what they say.
import { makeConfig } from './config.ts'
import { serve } from './serve.ts'
import { formatHelp } from './settings.ts'
import { UsageError } from './usage-error.ts'

/** The exit code for what a person can mend in the command. */
const MISUSED = 2

const print = (stream: NodeJS.WriteStream, text: string): void => void stream.write(`${text}\n`)

const run = async (args: readonly string[]): Promise<void> => {
  const [command, ...rest] = args
  if (command === '--help' || command === 'help' || rest.includes('--help')) return print(process.stdout, formatHelp())
  if (command !== 'serve') {
    throw new UsageError(
      `There is no command ${JSON.stringify(command ?? '')}. The one command is serve; --help describes it.`,
    )
  }
  return serve(makeConfig(rest, process.env))
}

/** Resolves with the exit code. */
export const runCommand = async (args: readonly string[]): Promise<number> => {
  try {
    await run(args)
    return 0
  } catch (fault) {
    if (!(fault instanceof UsageError)) throw fault
    print(process.stderr, `mintmark-verify: ${fault.message}`)
    return MISUSED
  }
}
