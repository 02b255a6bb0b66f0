// The variables of `mintmark serve`, as its help lists them.
import { Help } from 'commander'
import { describeDefault, describeValues } from '../../config/settings/setting-entry.ts'
import { plainMeaning, settingEntries } from '../../config/settings/settings.ts'

/** Characters in a line of a terminal that nobody widened, without the indentation. */
const WIDTH = 74

const wrapper = new Help()

const indented = (text: string): readonly string[] =>
  text === ''
    ? []
    : wrapper
        .boxWrap(text.replaceAll('`', ''), WIDTH)
        .split('\n')
        .map(line => `      ${line}`)

export const formatVariables = (): string => {
  const lines = settingEntries().flatMap(([name, entry]) => [
    `  ${name}${entry.hasFile === true ? `, or ${name}_FILE` : ''}`,
    ...indented(plainMeaning(entry)),
    ...indented([describeValues(entry), `default: ${describeDefault(entry)}`].filter(part => part !== '').join('; ')),
  ])
  return ['', 'Variables:', ...lines].join('\n')
}
