// The names of all variables: those of settings, those of single commands, and those of files with secrets.
import { type SettingEntry, SETTINGS } from './settings.ts'

export type SettingName = keyof typeof SETTINGS

/** Secrets of single commands; docs/operating/settings.md says by which. */
const COMMAND_SECRETS = [
  'MINTMARK_KEY_ENCRYPTION_KEY_OLD',
  'MINTMARK_API_KEY',
  'MINTMARK_OPERATOR_JWT',
  'MINTMARK_TOKEN',
  'MINTMARK_CLIENT_SECRET',
  'PGPASSWORD',
] as const

/** Other variables of single commands. */
const COMMAND_VARIABLES = ['MINTMARK_URL', 'MINTMARK_CLIENT_ID', 'MINTMARK_ACCESS_TOKEN'] as const

type FileOf<Name extends string> = Name extends SettingName
  ? (typeof SETTINGS)[Name] extends { readonly hasFile: true }
    ? `${Name}_FILE`
    : never
  : `${Name}_FILE`

type SecretFile = FileOf<SettingName | (typeof COMMAND_SECRETS)[number]>

/** Every variable that any command reads. */
export type Variable = SettingName | (typeof COMMAND_SECRETS)[number] | (typeof COMMAND_VARIABLES)[number] | SecretFile

const entries: readonly (readonly [string, SettingEntry])[] = Object.entries(SETTINGS)

/** Each of these may come from a file instead, whose path is in NAME_FILE. */
const IN_FILES: readonly string[] = [
  ...entries.filter(([, { hasFile }]) => hasFile === true).map(([name]) => name),
  ...COMMAND_SECRETS,
]

/** The variable that may name a file with the value; undefined where there is none. */
export const fileVariableOf = (name: string): SecretFile | undefined =>
  IN_FILES.includes(name) ? (`${name}_FILE` as SecretFile) : undefined // by IN_FILES

export const VARIABLES: readonly string[] = [
  ...entries.map(([name]) => name),
  ...COMMAND_SECRETS,
  ...COMMAND_VARIABLES,
  ...IN_FILES.map(name => `${name}_FILE`),
]

export const settingEntries = (): readonly (readonly [string, SettingEntry])[] => entries
