// Runs scripts on a connection of SQLite, in one go: nothing else runs on the thread between two of their statements.
import type { Answer, Program, Statement } from '../../statement-program.ts'
import type { Statements } from './statements.ts'

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

/** Runs the script to its end. */
export const runProgram = <T>(sql: Statements, program: Program<T>): T => {
  let step = program.next()
  while (step.done !== true) step = program.next(answer(sql, step.value))
  return step.value
}
