// Removes a file of SQLite that is not finished, with what stands beside it.
import { rmSync } from 'node:fs'

export const removePart = (part: string): void => {
  for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(`${part}${ending}`, { force: true })
}
