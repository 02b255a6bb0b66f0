// Commands that work on the store or the process of this machine, and ask no service elsewhere.
import { type Command, InvalidArgumentError, Option } from 'commander'

/** Has a command that works on the store itself say so, where it is asked to go elsewhere. */
export const localOnly = (command: Command): Command =>
  command.addOption(
    new Option('--url <url>').hideHelp().argParser(() => {
      throw new InvalidArgumentError('This command works on the store of this machine, and asks no service.')
    }),
  )
