// Runs statement programs on a connection to PostgreSQL, a statement at a time.
import type { Program } from '../../statement-program.ts'
import type { Answered, Asked, Connection } from './connection.ts'

/** Statements that differ are few; were there more, the rest would be parsed each time. */
const NAMED_MAX = 1000

const numbered = new Map<string, Asked>()

/** The statement with numbers for its places. No text of ours holds a question mark that is none. */
const numberPlaces = (text: string): Asked => {
  const known = numbered.get(text)
  if (known !== undefined) return known
  let n = 0
  const places = text.replaceAll('?', () => `$${++n}`)
  const asked = { text: places, name: numbered.size < NAMED_MAX ? `m${numbered.size}` : undefined }
  if (asked.name !== undefined) numbered.set(text, asked)
  return asked
}

export type ProgramRunner = {
  /** Asks one statement with `?` for its values. */
  readonly ask: (connection: Connection, text: string, ...values: readonly unknown[]) => Promise<Answered>
  /** Runs the statement program to its end. */
  readonly runProgram: <T>(connection: Connection, program: Program<T>) => Promise<T>
}

const ask: ProgramRunner['ask'] = (connection, text, ...values) => connection.ask({ ...numberPlaces(text), values })

export const runner: ProgramRunner = {
  ask,
  runProgram: async (connection, program) => {
    let step = program.next()
    while (step.done !== true) step = program.next(await ask(connection, step.value.text, ...step.value.values))
    return step.value
  },
}
