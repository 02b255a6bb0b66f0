// Files that are there whole or not at all, also after a loss of power.
import { chmodSync, chownSync, closeSync, fsyncSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const OWNER_ONLY = 0o600
const OF_GROUP = 0o070
const OF_OTHERS = 0o007

type Content = 'records' | 'secrets'

/** What was written to the file, or the names in the folder, outlast a loss of power. */
export const flush = (path: string): void => {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const isOwned = (part: string, uid: number, gid: number): boolean => {
  try {
    chownSync(part, uid, gid)
    return true
  } catch {
    return false
  }
}

/** Who could read the file that is there can read the new one, and nobody else can. */
const keepAccess = (part: string, path: string, content: Content): void => {
  const old = statSync(path, { throwIfNoEntry: false })
  if (old === undefined) return
  // A mode that lets everybody read was not chosen for secrets.
  if (content === 'secrets' && (old.mode & OF_OTHERS) !== 0) return chmodSync(part, OWNER_ONLY)
  const mode = old.mode & 0o777
  // Else another group than the one that the bits are for could read it.
  chmodSync(part, isOwned(part, old.uid, old.gid) ? mode : mode & ~OF_GROUP)
}

/** Puts a file that nothing has open in the place of another, whose mode and owner it takes, or of none. */
export const putInPlace = (part: string, path: string, content: Content = 'records'): void => {
  keepAccess(part, path, content)
  flush(part)
  renameSync(part, path)
  // Else the name could be the old file's again after a loss of power.
  flush(dirname(path))
}
