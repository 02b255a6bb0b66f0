// Reads the options of a bench command: numbers, words and switches, each with a default.
import { parseArgs } from 'node:util'

type Defaults = Readonly<Record<string, number | string | boolean>>

type Options<D extends Defaults> = {
  readonly [K in keyof D]: D[K] extends number ? number : D[K] extends boolean ? boolean : string
}

const numberOf = (name: string, text: string): number => {
  const value = Number(text.replaceAll('_', ''))
  if (text === '' || !Number.isFinite(value) || value < 0) throw new Error(`--${name} is ${text}; expected a number.`)
  return value
}

/** Ends the process with one line where an option is unknown or malformed. */
export const readOptions = <const D extends Defaults>(defaults: D): Options<D> => {
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [
      name,
      { type: typeof value === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  try {
    const { values } = parseArgs({ options })
    const read = Object.entries(defaults).map(([name, value]) => {
      const given = values[name]
      return [name, typeof value === 'number' && typeof given === 'string' ? numberOf(name, given) : (given ?? value)]
    })
    return Object.fromEntries(read) as Options<D> // each member was read by the type of its default
  } catch (error) {
    const known = Object.entries(defaults).map(
      ([name, value]) => `--${name}${value === false ? '' : ` ${value === '' ? "''" : value}`}`,
    )
    console.error(`${error instanceof Error ? error.message : String(error)}\nOptions: ${known.join(' ')}`)
    process.exit(2)
  }
}
