// The options of a caller, checked by a table: a misspelled member is an error that names it, and not an option that is ignored.

/** Returns true for a value that fits, else what was expected, such as `a string`; false where no words say it. */
export type Kind = ((value: unknown) => boolean | string) & {
  /** A member that is there and undefined is a misspelled name, such as `NEEDED.order`, and not one that is absent. */
  readonly isDefinite?: true
}

export type Kinds = Readonly<Record<string, Kind>>

export const isText: Kind = value => typeof value === 'string' || 'a string'
export const isFlag: Kind = value => typeof value === 'boolean' || 'a boolean'
export const isFunction: Kind = value => typeof value === 'function' || 'a function'

/** For what would ask for the default where it is empty. */
export const isFilledText: Kind = value => (typeof value === 'string' && value !== '') || 'a string that is not empty'

type Given = Readonly<Record<string, unknown>>

const isRecord = (given: unknown): given is Given =>
  typeof given === 'object' && given !== null && !Array.isArray(given)

const SIGNAL_METHODS = ['throwIfAborted', 'addEventListener', 'removeEventListener']

/** By its members: the caller's AbortSignal may be of another realm, as it is in tests of pages. */
export const isSignal: Kind = value =>
  (isRecord(value) && 'aborted' in value && SIGNAL_METHODS.every(name => typeof value[name] === 'function')) ||
  'an AbortSignal'

export const isTextList: Kind = value =>
  (Array.isArray(value) && value.every(one => typeof one === 'string')) || 'an array of strings'

/** A hole is no string. */
export const isFilledList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every(one => typeof one === 'string' && one !== '')

export const isFilledTextList: Kind = value =>
  isFilledList(value) || 'an array of at least one string, none of them empty'

export const isOneOf =
  (...choices: readonly unknown[]): Kind =>
  value =>
    choices.includes(value) || `one of ${choices.join(', ')}`

export const isWholeNumber =
  (min: number, max: number): Kind =>
  value =>
    (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) || `a whole number from ${min} to ${max}`

/** `unit` is what it counts, such as `ms`. Infinity is none. */
export const isNumberOf =
  (unit: string, min: number, max: number): Kind =>
  value =>
    (typeof value === 'number' && value >= min && value <= max) || `a number of ${unit} from ${min} to ${max}`

export const definite = (kind: (value: unknown) => boolean | string): Kind =>
  Object.assign(kind, { isDefinite: true } as const)

/**
 * Whether it is the `Object.prototype` of this realm or another one, whose members are no options; or has none, as what parsed
 * queries of frameworks are made of.
 */
const isRoot = (object: object): boolean =>
  object === Object.prototype ||
  (Object.getPrototypeOf(object) === null &&
    (Object.hasOwn(object, 'hasOwnProperty') || Reflect.ownKeys(object).length === 0))

/** Whether a copy of its listed members has all that it has: none is inherited, hidden, or named by a symbol. */
export const isPlainObject = (value: unknown): value is Given => {
  if (!isRecord(value)) return false
  const prototype = Object.getPrototypeOf(value) as object | null
  return (prototype === null || isRoot(prototype)) && Reflect.ownKeys(value).length === Object.keys(value).length
}

/** A member that is not in the table, of the object or of a class that it is made of; undefined where there is none. */
const unknownIn = (given: object, kinds: Kinds): string | undefined => {
  for (let at: object | null = given; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    // An object may have a hasOwnProperty of its own, and no prototype.
    if (at !== given && isRoot(at)) return undefined
    for (const name of Object.getOwnPropertyNames(at)) {
      if (!Object.hasOwn(kinds, name) && (at === given || name !== 'constructor')) return name
    }
  }
  return undefined
}

/** An error that names the option, and never its value: that may be a secret. */
class OptionError extends TypeError {}

/** An OptionError as it is. The message of any other fault is dropped: what a member throws may hold a secret. */
export const namedFault = (where: string, fault: unknown): TypeError =>
  fault instanceof OptionError ? fault : new TypeError(`${where}: the options cannot be read.`)

/** No list that is an option has more items: one of fifty million would take the thread for seconds. */
const ITEMS_MAX = 10_000

export const isShortList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length <= ITEMS_MAX

/**
 * A copy: what the caller does with its own later changes nothing. By index, because methods and the iterator of an array may be the
 * caller's. A hole becomes an item, undefined.
 */
export const copyItems = (items: readonly unknown[]): unknown[] => {
  // Mostly there is one: a literal is three times as fast as an array that grows.
  const copy = items.length > 0 ? [items[0]] : []
  for (let n = 1; n < items.length; n += 1) copy.push(items[n])
  return copy
}

const take = (value: unknown): unknown => (isShortList(value) ? Object.freeze(copyItems(value)) : value)

const takeAll = (where: string, given: unknown, kinds: Kinds): Given => {
  if (!isRecord(given)) throw new OptionError(`${where}: the options are not an object.`)
  const unknown = unknownIn(given, kinds)
  if (unknown !== undefined) {
    const names = Object.keys(kinds).join(', ')
    throw new OptionError(`${where}: ${JSON.stringify(unknown)} is not an option. Expected any of: ${names}.`)
  }
  const taken: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries(kinds)) {
    const value = take(given[name])
    if (value === undefined && !(kind.isDefinite === true && name in given)) continue
    if (Array.isArray(value) && !isShortList(value))
      throw new OptionError(`${where}: ${name} has more than ${ITEMS_MAX} items.`)
    const expected = kind(value)
    if (expected !== true) {
      if (value === undefined)
        throw new OptionError(`${where}: ${name} is undefined. Expected ${expected}, or no ${name}.`)
      throw new OptionError(`${where}: ${name} is not ${expected || 'a value that is allowed'}.`)
    }
    taken[name] = value
  }
  return Object.freeze(taken)
}

/**
 * The members that were given, each read once: a frozen object, which nobody changes between this check and the use. Throws a
 * TypeError for the first member that is unknown, of another kind, or cannot be read. A member that is undefined counts as absent,
 * and one that is null does not. The message repeats no value.
 */
export const takeMembers = <Options extends object>(where: string, given: unknown, kinds: Kinds): Readonly<Options> => {
  try {
    return takeAll(where, given, kinds) as Readonly<Options> // Each member has been checked by its kind.
  } catch (fault) {
    throw namedFault(where, fault)
  }
}

/** The one argument that there may be. Throws a TypeError for more, whose demands would be none: there is no second object of options. */
export const onlyOne = <Arguments extends readonly unknown[]>(where: string, given: Arguments): Arguments[0] => {
  if (given.length > 1) throw new TypeError(`${where}: there is an argument too many. Put all options into one object.`)
  return given[0]
}
