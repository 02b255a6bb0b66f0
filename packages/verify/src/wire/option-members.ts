// The options of a caller, checked by a table: a misspelled member is an error that names it, and not an option that is ignored.

/** Returns true for a value that fits, else what was expected, such as `a string`; false where no words say it. */
export type Kind = (value: unknown) => boolean | string

export type Kinds = Readonly<Record<string, Kind>>

export const isText: Kind = value => typeof value === 'string' || 'a string'
export const isFlag: Kind = value => typeof value === 'boolean' || 'a boolean'
export const isFunction: Kind = value => typeof value === 'function' || 'a function'

/** By its members: the caller's AbortSignal may be of another realm, as it is in tests of pages. */
export const isSignal: Kind = value =>
  (typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value) || 'an AbortSignal'

export const isTextList: Kind = value =>
  (Array.isArray(value) && value.every(one => typeof one === 'string')) || 'an array of strings'

export const isOneOf =
  (...choices: readonly unknown[]): Kind =>
  value =>
    choices.includes(value) || `one of ${choices.join(', ')}`

export const isWholeNumber =
  (min: number, max: number): Kind =>
  value =>
    (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) || `a whole number from ${min} to ${max}`

const isRecord = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null && !Array.isArray(given)

/**
 * Throws a TypeError for the first member that is unknown or of another kind. A member that is undefined counts as absent, and one
 * that is null does not. No message repeats a value: it may be a secret.
 */
export const checkMembers = (where: string, given: unknown, kinds: Kinds): void => {
  if (!isRecord(given)) throw new TypeError(`${where}: the options are not an object.`)
  const names = Object.keys(kinds)
  const unknown = Object.keys(given).find(name => given[name] !== undefined && !names.includes(name))
  if (unknown !== undefined) {
    throw new TypeError(`${where}: ${JSON.stringify(unknown)} is not an option. Expected any of: ${names.join(', ')}.`)
  }
  for (const [name, fits] of Object.entries(kinds)) {
    const value = given[name]
    const expected = value === undefined || fits(value)
    if (expected !== true) throw new TypeError(`${where}: ${name} is not ${expected || 'a value that is allowed'}.`)
  }
}
