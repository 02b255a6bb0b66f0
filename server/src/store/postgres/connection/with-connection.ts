// A connection for one piece of work, closed after it.
import type { DatabaseAccess } from './address.ts'
import { checkSchema } from '../schema/check-schema.ts'
import type { Connection } from './connection.ts'
import { connectPatiently } from './primary.ts'

type Work<T> = (connection: Connection) => Promise<T>

export const withConnection = async <T>(connecting: Promise<Connection>, work: Work<T>): Promise<T> => {
  const connection = await connecting
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}

/** Runs a command's work on a whole store of this version. Throws StoreProblem with one line for a person. */
export const withStore = <T>(access: DatabaseAccess, work: Work<T>): Promise<T> =>
  withConnection(connectPatiently(access), async connection => {
    await checkSchema(connection, access.address)
    return work(connection)
  })
