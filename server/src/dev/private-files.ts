// Files of the data folder that `mintmark dev` wrote at a former start.
import { readFileSync } from 'node:fs'
import { withoutByteOrderMark } from '../domain/text/byte-order-mark.ts'

/** The text, or undefined if there is no such file. */
export const readPrivateFile = (path: string): string | undefined => {
  try {
    return withoutByteOrderMark(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
