// Commands that work on the store or the process of this machine, and ask no service elsewhere.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { addExamples } from '../terminal/examples.ts'

/** Completes such a command: it says what it is where it is asked to go elsewhere. */
export const completeLocal = (command: Command, ...examples: readonly string[]): Command => {
  const url = new Option('--url <url>').hideHelp().argParser(() => {
    throw new InvalidArgumentError('This command works on the store of this machine, and asks no service.')
  })
  return addExamples(command.addOption(url), examples)
}
