// Options of one command in a table, by what the API calls what they say: help, parsing and request derive from it.
import { type Command, Option } from 'commander'
import type { Label } from '../../../../api/values/labels.ts'
import type { Query } from '../remote/api.ts'

type Gathered = readonly Label[] | false | undefined

/** Its flags, its help, and where not any text will do the choices or a parser. */
type Row = readonly [
  flags: string,
  help: string,
  values?: readonly string[] | ((text: string, before: Gathered) => unknown),
]

export type OptionRows<Name extends string = string> = Readonly<Record<Name, Row>>

export const addOptions = (command: Command, rows: OptionRows): Command => {
  for (const [flags, help, values] of Object.values(rows)) {
    const option = new Option(flags, help)
    if (typeof values === 'function') option.argParser<unknown>((text, before) => values(text, before as Gathered))
    else if (values !== undefined) option.choices(values)
    command.addOption(option)
  }
  return command
}

const attributeOf = (flags: string): string => new Option(flags).attributeName()

/** By what Commander calls each. */
export const attributesOf = (rows: OptionRows): readonly string[] =>
  Object.values(rows).map(([flags]) => attributeOf(flags))

/** What was given of the options. */
export const givenIn = (options: object, rows: OptionRows): Readonly<Record<string, unknown>> => {
  const given = new Map<string, unknown>(Object.entries(options))
  return Object.fromEntries(
    Object.entries(rows).map(([name, [flags]]) => [name, given.get(attributeOf(flags))] as const),
  )
}

/** The same as the query of a list has it. */
export const queryOf = (options: object, rows: OptionRows): Query => {
  const { label, ...rest } = givenIn(options, rows) as Omit<Query, 'label'> & { readonly label?: readonly Label[] } // as their parsers made them
  return label === undefined ? rest : { ...rest, label: label.map(({ key, value }) => `${key}=${value}`) }
}
