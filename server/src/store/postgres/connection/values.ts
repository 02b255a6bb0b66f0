// How values of PostgreSQL come to us: whole numbers as numbers, ids and bytes as bytes, everything else as its text.
import pg from 'pg'

const { builtins } = pg.types

const parseNumber = (text: string): number => {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new Error(`The database gave a number that is none of ours: ${text}`)
  return number
}

const UUID_HYPHENS = /-/g

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.INT2, parseNumber],
  [builtins.INT4, parseNumber],
  [builtins.INT8, parseNumber],
  // Sums of whole numbers.
  [builtins.NUMERIC, parseNumber],
  [builtins.UUID, text => Buffer.from(text.replace(UUID_HYPHENS, ''), 'hex')],
  [builtins.BYTEA, text => Buffer.from(text.slice(2), 'hex')],
  [builtins.BOOL, text => text === 't'],
])

/** The parser of a type; the signature is that of the library. */
export const parserOf = (type: number): ((text: string) => unknown) => PARSERS.get(type) ?? (text => text)

/** A list of numbers or ids as the database reads it. The library would look for what is to be quoted in each of them. */
export const listOf = (values: readonly (number | string)[]): string => `{${values.join(',')}}`
