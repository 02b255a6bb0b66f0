// Cursors that the service made: a forger keeps their opening, which binds them to a list, and changes where they point.
import { openConnection } from '../connection.ts'
import { bearer, requestOf } from './requests.ts'

export const LISTS = ['/api/v1/tokens', '/api/v1/tokens/history', '/api/v1/agents', '/api/v1/audit'] as const

export type GenuineCursor = { readonly list: string; readonly cursor: string }

/** Reads a cursor of each list that has a second page. */
export const readCursors = async (port: number, adminJwt: string): Promise<readonly GenuineCursor[]> => {
  const connection = await openConnection(port)
  const found: GenuineCursor[] = []
  for (const list of LISTS) {
    const request = requestOf(`GET ${list}?limit=1`, { headers: [bearer(adminJwt)] })
    const { status, body } = await connection.exchange(request.toString('latin1'))
    if (status !== 200) throw new Error(`A page of ${list} was answered with ${status}: ${body}`)
    const { next_cursor: cursor } = JSON.parse(body) as { readonly next_cursor: string | null }
    if (cursor !== null) found.push({ list, cursor })
  }
  connection.close()
  return found
}

/** Replaces the end of a cursor in a query string; the ending is percent-encoded already. */
export const pointElsewhere = (cursor: string, ending: string): string =>
  encodeURIComponent(cursor.slice(0, cursor.lastIndexOf('.') + 1)) + ending
