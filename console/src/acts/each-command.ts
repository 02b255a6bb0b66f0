// The shell command that does to each of the chosen what the dialog does.
import { shellWord } from '../parts/shell-word.ts'

/** `command` is quoted as it is; each id holds letters, digits and hyphens only. */
export const eachCommand = (command: string, ids: readonly string[], options: readonly string[]): string => {
  const more = options.map(option => ` ${shellWord(option)}`).join('')
  return ids.length === 1
    ? `${command} ${ids.join('')}${more}`
    : `for id in ${ids.join(' ')}; do ${command} "$id"${more} --yes; done`
}
