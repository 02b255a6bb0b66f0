// Prepared statements of one connection, each prepared once, at its first use.
import type { Database, Statement } from 'better-sqlite3'

/** Gives the statement of a text. The caller names the row's shape beside the columns it lists. */
export type Statements = <Row = never>(sql: string) => Statement<unknown[], Row>

export const statementsOf = (db: Database): Statements => {
  const prepared = new Map<string, Statement>()
  return <Row>(sql: string) => {
    let statement = prepared.get(sql)
    if (statement === undefined) {
      statement = db.prepare(sql)
      prepared.set(sql, statement)
    }
    return statement as Statement<unknown[], Row>
  }
}
