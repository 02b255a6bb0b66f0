// What the table of settings says of each, and how people read it, in Markdown: in docs/reference/settings.md and in the help of
// `mintmark serve`.
import type { SettingGroup, SettingUnit } from '../../../../api/values/settings.ts'
import type { Parser } from '../values.ts'

export type VariableEntry = {
  /** Its bounds, where it has some, are those of the setting. */
  readonly parse: Parser<unknown>
  /** The value where it is not set, as a variable would have it; it is read by `parse`, too. */
  readonly fallback?: string
  /** The default in words, where others decide it. */
  readonly otherwise?: string
  /** Whether it must be set, and what is expected then. */
  readonly required?: string
  /** A value that it may have. */
  readonly example?: string
  /** The unit of its value, where that is a number. */
  readonly unit?: SettingUnit
  /** It may come from a file instead, whose path is in NAME_FILE. */
  readonly hasFile?: true
  /** Its value is not shown to anybody. */
  readonly isSecret?: true
  /** A secret that was chosen elsewhere: quotation marks or spaces around it may be a part of it. */
  readonly isAnyText?: true
  /** In Markdown; links are those of docs/reference/settings.md. */
  readonly meaning: string
}

/** What the parser of an entry returns. */
export type ValueOf<Entry extends Pick<VariableEntry, 'parse'>> = Entry['parse'] extends Parser<infer T> ? T : never

/** What is read by an entry: undefined only where it has no default. */
export type ReadOf<Entry extends Pick<VariableEntry, 'parse'>> = Entry extends { readonly fallback: string }
  ? ValueOf<Entry>
  : ValueOf<Entry> | undefined

export type SettingEntry = VariableEntry & { readonly group: SettingGroup }

/** A misspelled member is an error: that of `isSecret` would show the secret. */
type NoOtherMembers<Entries> = {
  readonly [Name in keyof Entries]: { readonly [M in Exclude<keyof Entries[Name], keyof VariableEntry>]: never }
}

/** The settings of one group. */
export const inGroup = <const Entries extends Readonly<Record<string, VariableEntry>>>(
  group: SettingGroup,
  entries: Entries & NoOtherMembers<Entries>,
) => {
  const given: Readonly<Record<string, VariableEntry>> = entries
  const all = Object.entries(given).map(([name, entry]) => [name, { group, ...entry }] as const)
  return Object.fromEntries<unknown>(all) as { readonly [Name in keyof Entries]: SettingEntry & Entries[Name] } // each of `entries`
}

/** Which values it may have: a list or a range, or else an example. Empty: its meaning says it. */
export const describeValues = ({ parse: { bounds }, unit, example }: VariableEntry): string => {
  if (bounds !== undefined) return unit === undefined ? bounds : `${bounds} ${unit}`
  return example === undefined ? '' : `such as \`${example}\``
}

export const describeDefault = ({ required, otherwise, fallback }: VariableEntry): string => {
  if (otherwise !== undefined) return otherwise
  if (fallback !== undefined) return `\`${fallback}\``
  return required === undefined ? 'none' : 'required'
}
