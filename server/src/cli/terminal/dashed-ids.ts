// Ids in base64url may begin with a hyphen, as options do, and so may names: such a text is an argument where no option is
// called so.
import type { Command } from 'commander'

/** No argument of a process contains it. */
const MARK = '\0'

/** What may be an id or a name. A long option that is mistyped stays one, unless it is as long as a thumbprint (RFC 7638). */
const MAYBE_ID = /^-(?:[^-].+|[\w-]{42})$/s

const optionOf = ({ options }: Command, text: string) =>
  options.find(({ short, long }) => short === text || long === text)

/** The arguments with the ids among them hidden, and those ids. */
const hideIds = (command: Command, argv: readonly string[]) => {
  const hidden: string[] = []
  let room = command.registeredArguments.length
  let isValue = false
  let isLiteral = false
  const shown = argv.map(text => {
    if (isLiteral) return text
    if (isValue) {
      isValue = false
      return text
    }
    isLiteral = text === '--'
    isValue = optionOf(command, text)?.required === true
    const isOption = text.startsWith('-')
    if (isOption && !(room > 0 && MAYBE_ID.test(text) && optionOf(command, text) === undefined)) return text
    room -= 1
    return isOption ? `${MARK}${hidden.push(text) - 1}` : text
  })
  return { shown, hidden }
}

/** Lets the arguments of a command, declared by now, begin with a hyphen. */
export const takeDashedIds = (command: Command): void => {
  const parse = command.parseOptions.bind(command)
  command.parseOptions = argv => {
    const { shown, hidden } = hideIds(command, argv)
    const { operands, unknown } = parse(shown)
    const show = (texts: readonly string[]): string[] =>
      texts.map(text => (text.startsWith(MARK) ? (hidden[Number(text.slice(1))] ?? text) : text))
    return { operands: show(operands), unknown: show(unknown) }
  }
}
