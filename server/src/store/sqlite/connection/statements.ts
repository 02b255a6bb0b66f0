// Prepared statements of one connection, each prepared once, at its first use; and statement programs that run on them.
import type { Database, Prepared } from './database.ts'
import type { Answer, Program, Statement } from '../../statement-program.ts'
import { StoreProblem } from '../../store-problem.ts'
import { SERVICE_ROW, type ServiceRow } from '../../snapshot.ts'

/** Returns the statement of a text. The caller names the row's shape beside the columns it lists. */
export type Statements = <Row = never>(sql: string) => Prepared<Row>

/** A statement as SQLite reads it: its hints (statement-program.ts) become what they mean here. */
export const sqliteText = (text: string): string =>
  text
    .replaceAll(/\/\* index (\w+) \*\//g, 'indexed by $1')
    .replaceAll(/\/\* bytes \*\/ (\w+) as/g, 'cast($1 as blob) as')

export const statementsOf = (db: Database): Statements => {
  const prepared = new Map<string, Prepared<unknown>>()
  return <Row>(sql: string) => {
    let statement = prepared.get(sql)
    if (statement === undefined) {
      statement = db.prepare<unknown>(sqliteText(sql))
      prepared.set(sql, statement)
    }
    return statement as Prepared<Row>
  }
}

const NO_ROWS: readonly unknown[] = []

const answer = (sql: Statements, { text, values, wants }: Statement): Answer => {
  const statement = sql<unknown>(text)
  switch (wants) {
    case 'rows':
      return { rows: statement.all(...values), changes: 0 }
    case 'row': {
      const row = statement.get(...values)
      return { rows: row === undefined ? NO_ROWS : [row], changes: 0 }
    }
    case 'changes':
      return { rows: NO_ROWS, changes: statement.run(...values).changes }
  }
}

/** Runs the program to its end, in one go: nothing else runs on the thread between two of its statements. */
export const runProgram = <T>(sql: Statements, program: Program<T>): T => {
  let step = program.next()
  while (step.done !== true) step = program.next(answer(sql, step.value))
  return step.value
}

/** Reads the row without a statement program: every group of reads and every transaction begins with it. */
export const readServiceRow = (sql: Statements): ServiceRow => {
  const row = sql<ServiceRow>(SERVICE_ROW).get()
  if (row === undefined) throw new StoreProblem('The store has lost its service row: restore a backup.')
  return row
}
