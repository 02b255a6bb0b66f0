// Runs scripts on a connection to PostgreSQL, a statement at a time.
import type { Script } from '../script.ts'
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

export type Driver = {
  /** Asks one statement with `?` for its values. */
  readonly ask: (connection: Connection, text: string, ...values: readonly unknown[]) => Promise<Answered>
  /** Runs the script to its end. */
  readonly drive: <T>(connection: Connection, script: Script<T>) => Promise<T>
}

const ask: Driver['ask'] = (connection, text, ...values) => connection.ask({ ...numberPlaces(text), values })

export const driver: Driver = {
  ask,
  drive: async (connection, script) => {
    let step = script.next()
    while (step.done !== true) step = script.next(await ask(connection, step.value.text, ...step.value.values))
    return step.value
  },
}
