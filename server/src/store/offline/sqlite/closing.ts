// An open database that is closed at the end of the block that opened it.
import type { Database } from '../../sqlite/connection/database.ts'

export const closing = (db: Database): Database & Disposable => ({ ...db, [Symbol.dispose]: db.close })
