// Conditions of the lists of what has a name and an id. Each is a range of an index, in the order of bytes.
import { LISTED_IDS_MAX } from '../../../../api/values/lists.ts'
import { parseUuidOpening } from '../../../../api/values/uuid.ts'
import type { NameFilters } from '../../domain/lists/page.ts'
import type { Value } from '../statement-program.ts'

/** A condition of SQL and the values in it. */
export type Condition = { readonly sql: string; readonly values: readonly Value[] }

/** Above every name and every id: no text that is stored holds this character, which is none. */
export const ABOVE_EVERY_TEXT = '\u{10FFFF}'

export const opensWith = (column: string, opening: string): Condition => ({
  sql: `${column} >= ? and ${column} <= ?`,
  values: [opening, opening + ABOVE_EVERY_TEXT],
})

/** The column contains the text, each of its characters as it is. */
export const containsText = (column: string, text: string): Condition => ({
  sql: `${column} like ? escape '!'`,
  values: [`%${text.replaceAll(/[!%_]/g, '!$&')}%`],
})

/** Places of a list of values: few lengths, so that few statements are kept. */
const PLACES = [1, 10, LISTED_IDS_MAX] as const

/** No condition where there is no value. */
export const isAnyOf = (column: string, values: readonly (string | number)[]): readonly Condition[] => {
  const [last] = values.slice(-1)
  if (last === undefined) return []
  const places = PLACES.find(one => one >= values.length) ?? values.length
  const filled = Array.from({ length: places }, (_, n) => values[n] ?? last)
  return [{ sql: `${column} in (${filled.map(() => '?').join(', ')})`, values: filled }]
}

/** Conditions that name all these values together, each so many as one statement takes. */
export const inBlocks = (column: string, values: readonly (string | number)[]): readonly Condition[] => {
  const starts = Array.from({ length: Math.ceil(values.length / LISTED_IDS_MAX) }, (_, n) => n * LISTED_IDS_MAX)
  return starts.flatMap(from => isAnyOf(column, values.slice(from, from + LISTED_IDS_MAX)))
}

/** The id that is searched for, or that opens so; undefined where the text can be no beginning of one. */
export const idSearched = (column: string, search: string): Condition | undefined => {
  const opening = parseUuidOpening(search)
  return opening === undefined ? undefined : opensWith(column, opening)
}

const CLIENT_OPENING_MIN = 4

/** The client with this id, or those with one that opens so: it may be any text, and a short one is more likely a name. */
export const clientSearched = (search: string): Condition =>
  search.length < CLIENT_OPENING_MIN ? { sql: 'client_id = ?', values: [search] } : opensWith('client_id', search)

/** The ways in which a record passes the filters, each of which an index serves: by its name, and where one is searched for by its id. */
export const alternatives = (
  { name, namePrefix, search }: NameFilters,
  columns: { readonly id: string; readonly name: string },
): readonly (readonly Condition[])[] => {
  const both = [
    ...(name === null ? [] : [{ sql: `${columns.name} = ?`, values: [name] }]),
    ...(namePrefix === null ? [] : [opensWith(columns.name, namePrefix)]),
  ]
  if (search === null) return [both]
  const ofId = idSearched(columns.id, search)
  const ofName = [...both, opensWith(columns.name, search)]
  return ofId === undefined ? [ofName] : [ofName, [...both, ofId]]
}

/** All of them hold. */
export const allOf = (conditions: readonly Condition[]): Condition => ({
  sql: conditions.length === 0 ? 'true' : conditions.map(({ sql }) => sql).join(' and '),
  values: conditions.flatMap(({ values }) => values),
})

/** One of them holds, in full. */
export const oneOf = (some: readonly (readonly Condition[])[]): Condition => {
  const each = some.map(allOf)
  return { sql: `(${each.map(({ sql }) => `(${sql})`).join(' or ')})`, values: each.flatMap(({ values }) => values) }
}
