// One parser of bytes that strangers send, as a row of a table: where it is, what it accepts, and how it refuses.
import type fc from 'fast-check'

/** A text parser reads the characters of bytes as Latin-1, as Node reads headers; a byte parser reads a text as UTF-8. */
export type Input = string | Buffer

/** An accepted input. If `value` is given, it is what the parser returns. */
export type Good = { readonly input: Input; readonly value?: unknown }

export const REFUSED = Symbol('refused')

export type Parser = {
  /** The export, and the way in which it is called if there are several. */
  readonly name: string
  /** Its module, from the top of the repository. */
  readonly file: string
  readonly good: fc.Arbitrary<Good>
  /** REFUSED for what it does not accept. Never throws. */
  readonly read: (input: Input) => unknown
}

const textOf = (input: Input): string => (typeof input === 'string' ? input : input.toString('latin1'))

const bytesOf = (input: Input): Buffer => (typeof input === 'string' ? Buffer.from(input) : input)

const isWrong = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && ('wrong' in answer || 'error' in answer || 'refusal' in answer)

/** Returns REFUSED for undefined, false and a value that says what is wrong. */
const orRefused = (answer: unknown): unknown =>
  answer === undefined || answer === false || isWrong(answer) ? REFUSED : answer

type Row = Pick<Parser, 'name' | 'good'>

/** Returns the function that makes the rows of the parsers in one module. */
export const parsersIn = (file: string) => ({
  ofText: (row: Row, parse: (text: string) => unknown): Parser => ({
    ...row,
    file,
    read: input => orRefused(parse(textOf(input))),
  }),
  ofBytes: (row: Row, parse: (bytes: Buffer) => unknown): Parser => ({
    ...row,
    file,
    read: input => orRefused(parse(bytesOf(input))),
  }),
})

/** The parser whose refusal is an error of this class; every other error is a fault. */
export const refusesBy =
  <Argument>(ErrorClass: abstract new (...args: never[]) => Error, parse: (argument: Argument) => unknown) =>
  (argument: Argument): unknown => {
    try {
      return parse(argument)
    } catch (error) {
      if (error instanceof ErrorClass) return undefined
      throw error
    }
  }

const jsonIn = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** The parser of a JSON value, as a parser of its text. What is not JSON is refused before it. */
export const ofJson =
  (parse: (value: unknown) => unknown) =>
  (text: string): unknown => {
    const json = jsonIn(text)
    return json === undefined ? undefined : parse(json.value)
  }
