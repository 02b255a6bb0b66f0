// The options of everything in proof/: each has a name and a default, and what a person mistypes is one line and exit code 2.
import { parseArgs } from 'node:util'

/**
 * Options by name, each with its default: a number; null for a number that may be left out; a text; false for a flag; a list for one of
 * these words, or nothing.
 */
type Default = number | null | string | false | readonly string[]
export type Defaults = Readonly<Record<string, Default>>

type Value<T extends Default> = T extends readonly string[]
  ? T[number] | null
  : T extends number | null
    ? T extends null
      ? number | null
      : number
    : T extends false
      ? boolean
      : string
export type Options<D extends Defaults> = { readonly [Name in keyof D]: Value<D[Name]> }

/** What each command takes beside its own: the minutes after which it begins nothing more. */
export type Bounded = { readonly minutes: number | null }

const NUMBER = /^\d[\d_]{0,12}(?:\.\d{1,6})?$/

const parseNumber = (name: string, text: string): number => {
  if (!NUMBER.test(text)) throw new Error(`--${name} is ${text}; expected a number.`)
  return Number(text.replaceAll('_', ''))
}

const isWords = (value: Default | undefined): value is readonly string[] => Array.isArray(value)

const parseWord = (name: string, text: string, words: readonly string[]): string => {
  if (!words.includes(text)) throw new Error(`--${name} is ${text}; expected one of ${words.join(', ')}.`)
  return text
}

const parseValue = (name: string, given: string | boolean | undefined, byDefault: Default | undefined) => {
  if (typeof given === 'boolean') return given
  if (given === undefined) return isWords(byDefault) ? null : byDefault
  if (isWords(byDefault)) return parseWord(name, given, byDefault)
  return typeof byDefault === 'string' ? given : parseNumber(name, given)
}

/** The options that these arguments give. Throws an error for a person where one is wrong. */
export const parseOptions = <const D extends Defaults>(defaults: D, args: readonly string[]): Options<D> => {
  const names = Object.entries(defaults)
  const known = Object.fromEntries(
    names.map(([name, value]) => [name, { type: value === false ? ('boolean' as const) : ('string' as const) }]),
  )
  const { values } = parseArgs({ options: known, args: [...args] })
  return Object.fromEntries(names.map(([name, value]) => [name, parseValue(name, values[name], value)])) as Options<D> // each was read by its default
}

const describe = ([name, value]: readonly [string, Default]): string => {
  if (isWords(value)) return `  --${name} ${value.join('|')}`
  if (value === false) return `  --${name}`
  return `  --${name} ${value === null || value === '' ? (name === 'minutes' ? 'N' : '…') : value}`
}

/** Reads the options of a command, and `--minutes`; ends it with exit code 2 and a line where one is wrong. */
export const readOptions = <const D extends Defaults>(defaults: D): Options<D> & Bounded => {
  const all: Defaults = { minutes: null, ...defaults }
  try {
    return parseOptions(all, process.argv.slice(2)) as Options<D> & Bounded
  } catch (fault) {
    const known = Object.entries(all).map(describe).join('\n')
    process.stderr.write(
      `${fault instanceof Error ? fault.message : String(fault)}\nOptions, with their defaults:\n${known}\n`,
    )
    return process.exit(2)
  }
}

/** Whether the minutes of a run are over. Without the option they never are. */
export type Bound = () => boolean

/** They are over once it has been asked before: what has begun nothing would pass without having shown anything. */
export const makeBound = ({ minutes }: Bounded): Bound => {
  const until = minutes === null ? Number.POSITIVE_INFINITY : performance.now() + 60_000 * minutes
  let isFirst = true
  return () => {
    const isOver = !isFirst && performance.now() >= until
    isFirst = false
    return isOver
  }
}
