// node print-settings.mts <FILE: prints the settings of a file as commands of a shell, read as systemd reads its EnvironmentFile=. Node's
// --env-file reads other values from it (#, quotes, backslashes), and what root's shell has would win over them.
import { readFileSync } from 'node:fs'

type Setting = {
  name: string
  value: string
  /** How much of the value stays: white space at the end of unquoted text does not. */
  kept: number
}
type State = 'line' | 'comment' | 'name' | 'before' | 'unquoted' | 'escaped' | 'single' | 'double' | 'doubleEscaped'

const NAME = /^[A-Z_]\w*$/i
const NEWLINE = /[\n\r]/
/** What a backslash escapes within double quotes; before anything else it stands for itself. */
const ESCAPED = '"\\`$'

const add = (setting: Setting, text: string): void => {
  setting.value += text
  setting.kept = setting.value.length
}

/** By state: what a character does to the setting that is being read, and the state after it. */
const STATES: Readonly<Record<State, (char: string, setting: Setting) => State>> = {
  line: (char, setting) => {
    if (char === '#' || char === ';') return 'comment'
    if (/\s/.test(char)) return 'line'
    Object.assign(setting, { name: char, value: '', kept: 0 })
    return 'name'
  },
  comment: char => (NEWLINE.test(char) ? 'line' : 'comment'),
  name: (char, setting) => {
    if (char === '=') return 'before'
    setting.name += char
    return NEWLINE.test(char) ? 'line' : 'name'
  },
  // Also after a quoted part.
  before: (char, setting) => {
    if (char === "'") return 'single'
    if (char === '"') return 'double'
    return NEWLINE.test(char) || !/\s/.test(char) ? STATES.unquoted(char, setting) : 'before'
  },
  unquoted: (char, setting) => {
    if (NEWLINE.test(char)) return 'line'
    if (char === '\\') return 'escaped'
    if (/\s/.test(char)) setting.value += char
    else add(setting, char)
    return 'unquoted'
  },
  escaped: (char, setting) => {
    add(setting, NEWLINE.test(char) ? '' : char)
    return 'unquoted'
  },
  single: (char, setting) => {
    if (char === "'") return 'before'
    add(setting, char)
    return 'single'
  },
  double: (char, setting) => {
    if (char === '"') return 'before'
    if (char === '\\') return 'doubleEscaped'
    add(setting, char)
    return 'double'
  },
  doubleEscaped: (char, setting) => {
    if (ESCAPED.includes(char)) add(setting, char)
    else if (char !== '\n') add(setting, `\\${char}`)
    return 'double'
  },
}

/** What has no name that a shell takes is left out, as systemd does. */
export const readSettings = (text: string): Readonly<Record<string, string>> => {
  const settings: Record<string, string> = {}
  const setting: Setting = { name: '', value: '', kept: 0 }
  let state: State = 'line'
  const finish = (): void => {
    const name = setting.name.trimEnd()
    if (NAME.test(name)) settings[name] = setting.value.slice(0, setting.kept)
  }
  for (const char of text) {
    const next: State = STATES[state](char, setting)
    if (next === 'line' && !['line', 'comment', 'name'].includes(state)) finish()
    state = next
  }
  if (!['line', 'comment', 'name'].includes(state)) finish()
  return settings
}

const quote = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`

if (import.meta.main) {
  for (const [name, value] of Object.entries(readSettings(readFileSync(0, 'utf8'))))
    process.stdout.write(`export ${name}=${quote(value)}\n`)
}
