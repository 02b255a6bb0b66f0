// What every drill shares: its options, what it prints, its one line of result, its exit code.
import { parseArgs } from 'node:util'
import { prepareService, type ServiceUnderDrill } from './service-under-drill.ts'

/**
 * Options by name, each with its default. Null: a number that may be left out. False: a flag. A list: one of these words, or
 * nothing.
 */
type Default = number | null | false | readonly string[]
type Defaults = Readonly<Record<string, Default>>

type Value<T extends Default> = T extends readonly string[] ? T[number] | null : T extends false ? boolean : T
type Options<D extends Defaults> = { readonly [Name in keyof D]: Value<D[Name]> }

/** The exit code of a drill for which the machine lacks something. */
export const CANNOT_RUN = 2

export const print = (line: string): void => void process.stdout.write(`${line}\n`)

const SEED_MAX = 0xffff_ffff

const parseCount = (name: string, text: string): number => {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`--${name} is ${text}; expected a whole number.`)
  return Number(text)
}

const isWords = (value: Default | undefined): value is readonly string[] => Array.isArray(value)

const parseWord = (name: string, text: string, words: readonly string[]): string => {
  if (!words.includes(text)) throw new Error(`--${name} is ${text}; expected one of ${words.join(', ')}.`)
  return text
}

const parseValue = (name: string, given: string | boolean | undefined, byDefault: Default | undefined) => {
  if (typeof given === 'boolean') return given
  if (given === undefined) return isWords(byDefault) ? null : byDefault
  return isWords(byDefault) ? parseWord(name, given, byDefault) : parseCount(name, given)
}

/** The options that these arguments give. Throws an error for a person where one is wrong. */
export const parseOptions = <const D extends Defaults>(defaults: D, args: readonly string[]): Options<D> => {
  const names = Object.entries(defaults)
  const known = Object.fromEntries(
    names.map(([name, value]) => [name, { type: value === false ? ('boolean' as const) : ('string' as const) }]),
  )
  const { values } = parseArgs({ options: known, args: [...args] })
  return Object.fromEntries(names.map(([name, value]) => [name, parseValue(name, values[name], value)])) as Options<D>
}

/** Reads the options of a drill, and `--seed`; ends the drill with a line where an option is wrong. */
export const readOptions = <D extends Defaults>(defaults: D): Options<D> & { readonly seed: number } => {
  const all = { ...defaults, seed: Math.floor(Math.random() * SEED_MAX) }
  try {
    return parseOptions<Defaults>(all, process.argv.slice(2)) as Options<D> & { readonly seed: number }
  } catch (fault) {
    print(`${fault instanceof Error ? fault.message : String(fault)}\nOptions: --${Object.keys(all).join(', --')}`)
    process.exit(1)
  }
}

export const formatCount = (count: number): string => count.toLocaleString('en-US')

const SHOWN_MAX = 20

/** Prints what was wrong, what was done, and the one line of result. */
export const conclude = (violations: readonly string[], summary: string): void => {
  for (const violation of violations.slice(0, SHOWN_MAX)) print(`VIOLATION: ${violation}`)
  if (violations.length > SHOWN_MAX) print(`… and ${violations.length - SHOWN_MAX} more`)
  print(`${summary}: ${formatCount(violations.length)} violation${violations.length === 1 ? '' : 's'}`)
  print(violations.length === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed')
  process.exitCode = violations.length === 0 ? 0 : 1
}

/** What was thrown, in its order: several where more than one part could not be ended. */
const faultsIn = (fault: unknown): readonly unknown[] =>
  fault instanceof SuppressedError ? [...faultsIn(fault.suppressed), ...faultsIn(fault.error)] : [fault]

/** A drill that cannot go on, or cannot be ended, has failed too, and prints its result all the same. */
const attempt = async (violations: string[], what: 'go on' | 'be ended', step: () => Promise<void>): Promise<void> => {
  try {
    await step()
  } catch (fault) {
    const messages = faultsIn(fault).map(each => (each instanceof Error ? each.message : String(each)))
    violations.push(...messages.map(message => `The drill could not ${what}: ${message}`))
  }
}

/**
 * Performs a drill, and then ends what it has started, the last first, whatever becomes of the others. What fails is among
 * the violations; what stops the drill is there before anything ends.
 */
export const performAll = async (
  violations: string[],
  perform: (started: AsyncDisposableStack) => Promise<void>,
): Promise<void> => {
  const started = new AsyncDisposableStack()
  await attempt(violations, 'go on', () => perform(started))
  await attempt(violations, 'be ended', () => started.disposeAsync())
}

type Drill = {
  readonly name: string
  readonly options: { readonly workers: number | null }
  readonly perform: (service: ServiceUnderDrill) => Promise<void>
  /** What `perform` finds as it goes. */
  readonly violations: string[]
  /** What was done so far, in one line. */
  readonly summary: () => string
}

/**
 * Performs a drill on a service of its own: prints its options, what was wrong, what was done, and the one line of
 * result. The store of one that failed is kept for a look.
 */
export const runDrill = async ({ name, options, perform, violations, summary }: Drill): Promise<void> => {
  print(`${name}: ${JSON.stringify(options)}`)
  const service = await prepareService(options.workers)
  await performAll(violations, started => {
    started.defer(() => service.close(violations.length > 0))
    return perform(service)
  })
  if (violations.length > 0) print(`The store is kept in ${service.folder}`)
  conclude(violations, summary())
}
