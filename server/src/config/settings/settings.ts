// Every variable that the service or a command reads, one entry each: its parser, default, bounds, unit, example and meaning. The reader,
// `mintmark serve --help`, the page of settings, `mintmark settings` and the console derive from it.
import { ACCESS_SETTINGS } from './access-settings.ts'
import type { SettingEntry, VariableEntry } from './setting-entry.ts'
import { SERVICE_SETTINGS, KEY_EXPECTED } from './service-settings.ts'
import { TELEMETRY_SETTINGS } from './telemetry-settings.ts'
import { parseServiceUrl } from '../addresses.ts'
import { parseKeyEncryptionKeyText, parsePassword, parsePastedToken, parseSecretLine, parseText } from '../values.ts'

// The variables of single commands, which are no settings of the service.

export const COMMAND_VARIABLES = {
  MINTMARK_KEY_ENCRYPTION_KEY_OLD: {
    parse: parseKeyEncryptionKeyText,
    required: KEY_EXPECTED,
    otherwise: 'none',
    hasFile: true,
    isSecret: true,
    meaning: 'only `mintmark key reencrypt`: a secret, the previous key-encryption key',
  },
  MINTMARK_URL: {
    parse: parseServiceUrl,
    example: 'https://auth.example.com',
    meaning:
      'only administrative commands: the base URL of the service to call, instead of working on the store here; `https`, or `http` on loopback',
  },
  MINTMARK_API_KEY: {
    parse: parseSecretLine,
    hasFile: true,
    isSecret: true,
    meaning: 'a secret: the credential for that service',
  },
  MINTMARK_OPERATOR_JWT: {
    parse: parseSecretLine,
    hasFile: true,
    isSecret: true,
    meaning:
      'a secret: the credential for that service; where both are set, the JWT, and the API key for `token introspect`, which takes no JWT',
  },
  PGPASSWORD: {
    parse: parsePassword,
    hasFile: true,
    isSecret: true,
    isAnyText: true,
    meaning: 'a secret, only `mintmark migrate-store`: the password for `--to`',
  },
  MINTMARK_TOKEN: {
    parse: parsePastedToken,
    hasFile: true,
    isSecret: true,
    meaning: 'a secret, only `mintmark token introspect`: the token to check',
  },
  MINTMARK_CLIENT_ID: { parse: parseText, meaning: 'only `mintmark token get`: the agent for which it gets a token' },
  MINTMARK_CLIENT_SECRET: {
    parse: parseSecretLine,
    hasFile: true,
    isSecret: true,
    isAnyText: true,
    meaning: 'a secret, only `mintmark token get`: that of the agent',
  },
  MINTMARK_ACCESS_TOKEN: {
    parse: parseText,
    meaning: 'read by no command: `mintmark token get` sets it for the command that it runs',
  },
} as const satisfies Readonly<Record<string, VariableEntry>>

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
