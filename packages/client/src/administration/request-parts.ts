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

export const copyQuery = (given: unknown): Readonly<Record<string, QueryValue>> =>
  Object.fromEntries(Object.entries(plainOr('query', given)).map(([name, value]) => [name, checkValue(name, value)]))

/** `names` are those of the operation's path: an id more is a mistake, of another operation. */
export const copyPath = (given: unknown, names: readonly string[]): Readonly<Record<string, unknown>> => {
  const path = plainOr('path', given)
  const other = Object.keys(path).find(name => !names.includes(name))
  if (other === undefined) return path
  throw new TypeError(`path.${other} is none of this operation: it has ${names.join(', ') || 'no ids in its path'}.`)
}

/**
 * Throws a TypeError for a member that is there and undefined where without it more would be done: `dry_run`, and each condition of
 * a revocation of many tokens. It is a misspelled name, such as `agents.order`.
 */
export const checkDefinite = (part: string, members: unknown, operation: string): void => {
  if (!isPlainObject(members)) return
  for (const [name, value] of Object.entries(members)) {
    const isDefinite = name === 'dry_run' || operation === 'createRevocation'
    if (isDefinite && value === undefined)
      throw new TypeError(`${part}.${name} is undefined, and would be left out. Leave it out, or give a value.`)
  }
}

/** Far more than any body has. */
const LEVELS_MAX = 64

const copyJson = (where: string, value: unknown, level = 1): unknown => {
  if (value === null || isScalar(value)) return value
  if (level > LEVELS_MAX) throw new TypeError(`body has more than ${LEVELS_MAX} levels, or contains itself.`)
  // By index, so that a hole is found.
  if (Array.isArray(value)) return Array.from(value, (item, n) => copyJson(`${where}[${n}]`, item, level + 1))
  const members = Object.entries(plainOr(where, value)).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, copyJson(`${where}.${name}`, member, level + 1)]))
}

export const copyBody = (given: unknown): unknown => (given === undefined ? undefined : copyJson('body', given))
