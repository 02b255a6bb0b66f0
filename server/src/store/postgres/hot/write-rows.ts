// Writes rows of tokens, many with a statement.
import { run, type Program, type Value } from '../../statement-program.ts'

/** In the order of the columns below. */
export type Values = readonly Value[]

const COLUMNS = ['life', 'id', 'digest', 'agent', 'cred', 'key', 'scope', 'aud', 'seq']
// So that few statements differ.
const AT_ONCE = [128, 16, 1]

const insertOf = (count: number): string => {
  const places = `(${COLUMNS.map(() => '?').join(', ')})`
  return `insert into token (${COLUMNS.join(', ')}) values ${Array.from({ length: count }, () => places).join(', ')}`
}

const INSERTS = AT_ONCE.map(count => ({ count, text: insertOf(count) }))

/** Writes them all, and leaves none. */
export function* writeRows(rows: Values[]): Program<void> {
  for (const { count, text } of INSERTS) {
    while (rows.length >= count) yield* run(text, ...rows.splice(0, count).flat())
  }
}
