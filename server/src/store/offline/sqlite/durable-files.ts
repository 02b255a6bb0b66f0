// Files that are there whole or not at all, also after a loss of power.
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'

/** What was written to the file, or the names in the folder, outlast a loss of power. */
export const flush = (path: string): void => {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Makes an empty file that nobody else can read. */
export const makePrivateFile = (path: string): void => closeSync(openSync(path, 'wx', 0o600))

/** Puts a file that nothing has open in the place of another, or of none. */
export const putInPlace = (part: string, path: string): void => {
  flush(part)
  renameSync(part, path)
  // Else the name could be the old file's again after a loss of power.
  flush(dirname(path))
}

/** Removes a file of SQLite that is not finished, with what stands beside it. */
export const removePart = (part: string): void => {
  for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(`${part}${ending}`, { force: true })
}
