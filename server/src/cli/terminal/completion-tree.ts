// What can follow what on the command line, read from the commands themselves.
import type { Command, Option } from 'commander'

export type Word = { readonly text: string; readonly description: string }

export type OptionWord = Word & {
  readonly takesValue: boolean
  /** Where only these will do; empty where any value may. */
  readonly choices: readonly string[]
}

export type Place = {
  /** The commands so far, each with a space before it; empty before the first. */
  readonly path: string
  readonly commands: readonly Word[]
  readonly options: readonly OptionWord[]
  /** The choices for its first argument. */
  readonly choices: readonly string[]
}

const optionOf = ({ long, short, description, required, optional, argChoices }: Option): OptionWord => ({
  text: long ?? short ?? '',
  description,
  takesValue: required || optional,
  choices: argChoices ?? [],
})

const placesBelow = (command: Command, path: string): readonly Place[] => {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const here = {
    path,
    commands: commands.map(one => ({ text: one.name(), description: one.description() })),
    options: help.visibleOptions(command).map(optionOf),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  }
  return [here, ...commands.flatMap(one => placesBelow(one, `${path} ${one.name()}`))]
}

/** Every command, from the program itself on. */
export const placesOf = (program: Command): readonly Place[] => placesBelow(program, '')
