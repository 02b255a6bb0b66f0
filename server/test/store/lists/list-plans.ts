// How SQLite says it will run a statement.
import { openDatabase, sqliteText } from '../../../src/store/sqlite/connection/database.ts'

/** The steps of the plan, in SQLite's words. */
export const planOf = (file: string, statement: string): readonly string[] => {
  const db = openDatabase(file, { readOnly: true })
  try {
    const parameters = Array.from(statement.matchAll(/\?/g), () => 0)
    return db
      .prepare<{ detail: string }>(`explain query plan ${sqliteText(statement)}`)
      .all(...parameters)
      .map(({ detail }) => detail)
  } finally {
    db.close()
  }
}
