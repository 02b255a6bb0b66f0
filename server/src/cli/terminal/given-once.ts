// Options that take one value: Commander keeps the last of several, and the others would be lost in silence.
import { type Command, InvalidArgumentError, type Option } from 'commander'

/** The mark in the help of an option that gathers its values. An option with `...` does so too. */
const REPEATABLE = '(repeatable)'

const takesOne = ({ required, optional, variadic, description }: Option): boolean =>
  (required || optional) && !variadic && !description.includes(REPEATABLE)

const refuseRepeat = (command: Command, option: Option): void => {
  const { parseArg } = option
  option.argParser((text, before: unknown) => {
    // False is what its opposite, `--no-…`, has set.
    const isRepeated = command.getOptionValueSource(option.attributeName()) === 'cli' && before !== false
    if (isRepeated) throw new InvalidArgumentError('It is given twice, and takes one value.')
    return parseArg === undefined ? text : parseArg(text, before)
  })
}

/** Makes the options of a command and of all below it refuse a second value, unless they gather several. */
export const refuseRepeats = (command: Command): void => {
  for (const option of command.options.filter(takesOne)) refuseRepeat(command, option)
  for (const one of command.commands) refuseRepeats(one)
}
