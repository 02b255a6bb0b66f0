// Every variable that the service or a command reads, one entry each: its parser, default, bounds, unit, example and meaning. The reader,
// `mintmark serve --help`, the page of settings, `mintmark settings` and the console derive from it.
import { ACCESS_SETTINGS } from './access-settings.ts'
import { COMMAND_VARIABLES } from './command-variables.ts'
import type { SettingEntry, VariableEntry } from './setting-entry.ts'
import { SERVICE_SETTINGS } from './service-settings.ts'
import { TELEMETRY_SETTINGS } from './telemetry-settings.ts'

/** The settings of the service. */
export const SETTINGS = { ...SERVICE_SETTINGS, ...ACCESS_SETTINGS, ...TELEMETRY_SETTINGS }

const ALL = { ...SETTINGS, ...COMMAND_VARIABLES }

export type Variables = typeof ALL

export type Variable = keyof Variables

export type SecretFile = {
  [Name in Variable]: Variables[Name] extends { readonly hasFile: true } ? `${Name}_FILE` : never
}[Variable]

/** An entry with all members that it may have. */
export const entryOf = (name: Variable): VariableEntry => ALL[name]

const names = Object.keys(ALL) as readonly Variable[] // of the table above

/** The variable that may name a file with the value; undefined where there is none. */
export const fileVariableOf = (name: Variable): SecretFile | undefined =>
  entryOf(name).hasFile === true ? (`${name}_FILE` as SecretFile) : undefined // by hasFile

/** The names of all variables, those of files with secrets among them. */
export const VARIABLES: readonly string[] = names.flatMap(name => [name, fileVariableOf(name) ?? []].flat())

export const settingEntries = (): readonly (readonly [string, SettingEntry])[] => Object.entries(SETTINGS)

/** What an entry means, without the targets of links. */
export const plainMeaning = ({ meaning }: Pick<VariableEntry, 'meaning'>): string =>
  meaning.replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
