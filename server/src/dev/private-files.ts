// Files that only their owner can read.
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const OWNER_ONLY = 0o600

/** Replaces the file atomically: a reader sees the old text or the new one. */
export const writePrivateFile = (path: string, text: string): void => {
  const draft = `${path}.${process.pid}.tmp`
  writeFileSync(draft, text, { mode: OWNER_ONLY })
  chmodSync(draft, OWNER_ONLY)
  renameSync(draft, path)
}

/** The text, or undefined if there is no such file. */
export const readPrivateFile = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
