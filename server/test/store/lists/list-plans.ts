// How SQLite says it will run a statement.
import Database from 'better-sqlite3'
import { sqliteText } from '../../../src/store/sqlite/connection/statements.ts'

/** The steps of the plan, in SQLite's words. */
export const planOf = (file: string, statement: string): readonly string[] => {
  const db = new Database(file, { readonly: true })
  try {
    const parameters = Array.from(statement.matchAll(/\?/g), () => 0)
    return db
      .prepare<unknown[], { detail: string }>(`explain query plan ${sqliteText(statement)}`)
      .all(...parameters)
      .map(({ detail }) => detail)
  } finally {
    db.close()
  }
}
