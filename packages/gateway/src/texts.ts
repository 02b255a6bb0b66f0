// Gathers the texts of all settings from arguments, variables and files. What they mean is for config.ts.
import { parseArgs } from 'node:util'
import { PREFIX, SETTING_NAMES, type SettingName, settingOf, spell, variableOf } from './settings.ts'
import { misuse } from './usage-error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The texts by setting, at least one each. */
export type Texts = ReadonlyMap<SettingName, readonly string[]>

/** What Kubernetes sets for a service whose name begins with mintmark-verify. */
const OF_KUBERNETES = /_SERVICE_|_PORT(?:_|$)/

const FLAGS = SETTING_NAMES.filter(name => settingOf(name).isSecret === undefined)

/** The first sentence of what Node says of arguments, which goes on about positional ones. */
const firstSentence = (fault: unknown): string => {
  const [line = ''] = (fault instanceof Error ? fault.message : 'The arguments cannot be read').split('\n', 1)
  const [sentence = ''] = line.split('. ', 1)
  return sentence.endsWith('.') ? sentence.slice(0, -1) : sentence
}

const flagsIn = (args: readonly string[]): Readonly<Record<string, readonly string[] | undefined>> => {
  const options = Object.fromEntries(FLAGS.map(name => [name, { type: 'string', multiple: true } as const]))
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values
  } catch (fault) {
    return misuse(`${firstSentence(fault)}. \`mintmark-verify serve --help\` lists the options; a secret is no option.`)
  }
}

const refuseUnknownVariables = (environment: Environment): void => {
  const known = new Set(SETTING_NAMES.map(variableOf))
  const unknown = Object.keys(environment).find(
    name => name.startsWith(PREFIX) && !known.has(name) && !OF_KUBERNETES.test(name),
  )
  if (unknown !== undefined) {
    misuse(`${unknown} is no variable of mintmark-verify. \`mintmark-verify serve --help\` lists them.`)
  }
}

/** Node's switch for all of its TLS. */
const refuseUnverifiedTls = ({ NODE_TLS_REJECT_UNAUTHORIZED: text }: Environment): void => {
  if (text === '0') {
    misuse(
      'NODE_TLS_REJECT_UNAUTHORIZED is 0, with which no certificate is verified and the keys of the issuer can be forged. Unset it, and name a CA of your own in NODE_EXTRA_CA_CERTS.',
    )
  }
}

const textsOf = (name: SettingName, flags: readonly string[] | undefined, variable: string | undefined) => {
  const { isList } = settingOf(name)
  const texts = flags ?? (variable === undefined ? [] : isList ? variable.split(/ +/) : [variable])
  const origin = flags === undefined ? variableOf(name) : spell(name)
  if (texts.some(text => text.trim() === '')) misuse(`${origin} is empty. Give a value, or leave it out.`)
  if (texts.length > 1 && isList !== true) misuse(`${origin} is given ${texts.length} times. Give it once.`)
  return texts
}

/** Throws {@link UsageError} for a flag or a variable that there is not, and for a value that is empty or repeated. */
export const gatherTexts = (args: readonly string[], environment: Environment): Texts => {
  const flags = flagsIn(args)
  refuseUnknownVariables(environment)
  refuseUnverifiedTls(environment)
  const texts = SETTING_NAMES.map(name => [name, textsOf(name, flags[name], environment[variableOf(name)])] as const)
  return new Map(texts.filter(([, found]) => found.length > 0))
}
