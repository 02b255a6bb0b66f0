// Fills the revocation feed of a store by SQL while nothing serves it.
import { randomBytes } from 'node:crypto'
import { openDatabase } from '../../server/src/store/sqlite/connection/database.ts'

const TAIL_BYTES = 8
/** The tokens expire within the default lifetime, an hour from now: none does while a bench runs. */
const EXPIRIES = 300
const EXPIRES_IN_SECONDS = 3600

/** Fills the feed as so many single revocations would: each at a position of its own. */
export const fillFeed = ({ databaseFile }: { readonly databaseFile: string }, count: number): void => {
  const database = openDatabase(databaseFile)
  const first = Math.floor(Date.now() / 1000) + EXPIRES_IN_SECONDS
  const insert = database.prepare('insert into fact (position, until, tails) values (?, ?, ?)')
  database.transaction(() => {
    for (let n = 1; n <= count; n += 1) insert.run(n, first + (n % EXPIRIES), randomBytes(TAIL_BYTES))
    database.prepare('update service set feed_position = ?').run(count)
  })
  database.close()
}
