// The parts of a request, copied when they are given: what of them would not be sent is an error, and never a request without it.
import { isPlainObject, isShortList } from '../../../verify/src/wire/option-members.ts'

export type QueryValue = string | number | boolean | readonly string[] | undefined

const plainOr = (what: string, value: unknown): Readonly<Record<string, unknown>> => {
  if (isPlainObject(value)) return { ...value }
  throw new TypeError(
    `${what} is not a plain object whose members are all listed, such as { dry_run: true }. Give a date as a string.`,
  )
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)

/** In a URL half a surrogate pair would become another character. */
const isInUrl = (value: unknown): value is string | number | boolean =>
  isScalar(value) && (typeof value !== 'string' || value.isWellFormed())

const checkValue = (name: string, value: unknown): QueryValue => {
  if (value === undefined || isInUrl(value)) return value
  // Without an item the list would be of everything.
  if (isShortList(value) && value.length > 0) {
    const items = value.filter(isInUrl)
    if (items.length === value.length) return items.map(String)
  }
  throw new TypeError(`query.${name} is not a well-formed string, a number, a boolean, or an array of some.`)
}

/** `names` are those of the operation's path: an id more is a mistake, of another operation. */
export const copyPath = (given: unknown, names: readonly string[]): Readonly<Record<string, unknown>> => {
  const path = plainOr('path', given)
  const other = Object.keys(path).find(name => !names.includes(name))
  if (other === undefined) return path
  throw new TypeError(`path.${other} is none of this operation: it has ${names.join(', ') || 'no ids in its path'}.`)
}

/**
 * Whether a member that is there and undefined is a misspelled name, such as `agents.order`, and not one that is left out: without
 * `dry_run`, or a condition of a revocation of many tokens, more would be done.
 */
export const isDefiniteIn =
  (operation: string) =>
  (name: string): boolean =>
    name === 'dry_run' || operation === 'createRevocation'

type IsDefinite = ReturnType<typeof isDefiniteIn>

const checkDefinite = (where: string, name: string, isDefinite: IsDefinite): void => {
  if (isDefinite(name))
    throw new TypeError(`${where}.${name} is undefined, and would be left out. Leave it out, or give a value.`)
}

export const copyQuery = (given: unknown, isDefinite: IsDefinite): Readonly<Record<string, QueryValue>> =>
  Object.fromEntries(
    Object.entries(plainOr('query', given)).map(([name, value]) => {
      if (value === undefined) checkDefinite('query', name, isDefinite)
      return [name, checkValue(name, value)]
    }),
  )

/** Far more than any body has. */
const LEVELS_MAX = 64

const copyJson = (where: string, value: unknown, isDefinite: IsDefinite, level = 1): unknown => {
  if (value === null || isScalar(value)) return value
  if (level > LEVELS_MAX) throw new TypeError(`body has more than ${LEVELS_MAX} levels, or contains itself.`)
  const copyAt = (at: string, one: unknown): unknown => copyJson(at, one, isDefinite, level + 1)
  // By index, so that a hole is found.
  if (Array.isArray(value)) return Array.from(value, (item, n) => copyAt(`${where}[${n}]`, item))
  const members = Object.entries(plainOr(where, value)).filter(([name, member]) => {
    if (member === undefined) checkDefinite(where, name, isDefinite)
    return member !== undefined
  })
  return Object.fromEntries(members.map(([name, member]) => [name, copyAt(`${where}.${name}`, member)]))
}

export const copyBody = (given: unknown, isDefinite: IsDefinite): unknown =>
  given === undefined ? undefined : copyJson('body', given, isDefinite)
