// Prepared statements of one connection, each prepared once, at its first use.
import type { Database, Statement } from 'better-sqlite3'

/** Gives the statement of a text. The caller names the row's shape beside the columns it lists. */
export type Statements = <Row = never>(sql: string) => Statement<unknown[], Row>

/** A statement as SQLite reads it: its hints (script.ts) become what they mean here. */
export const sqliteText = (text: string): string =>
  text
    .replaceAll(/\/\* index (\w+) \*\//g, 'indexed by $1')
    .replaceAll(/\/\* bytes \*\/ (\w+) as/g, 'cast($1 as blob) as')

export const statementsOf = (db: Database): Statements => {
  const prepared = new Map<string, Statement>()
  return <Row>(sql: string) => {
    let statement = prepared.get(sql)
    if (statement === undefined) {
      statement = db.prepare(sqliteText(sql))
      prepared.set(sql, statement)
    }
    return statement as Statement<unknown[], Row>
  }
}
