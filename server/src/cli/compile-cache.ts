// Keeps compiled code for the next command, which then needs half the processor time.
import { mkdirSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

const WRITABLE_BY_OTHERS = 0o022

/**
 * Whether the folder is there, made if it was not, and no other user can write in it: whoever can decides what runs. Made here,
 * one level at a time: in a file system that takes no folders, as /proc, Node tries for ever.
 */
const isOwnFolder = (path: string): boolean => {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch {
    // It is there already, or the next line tells that it is not.
  }
  const { uid, mode } = statSync(path)
  return process.getuid === undefined || (uid === process.getuid() && (mode & WRITABLE_BY_OTHERS) === 0)
}

/** In the home of the user. Where there is none, or it is not theirs alone, nothing is kept. */
export const keepCompiledCode = (): void => {
  try {
    const home = homedir()
    // It is empty where HOME is: then the folder would be one of the current folder.
    if (!isAbsolute(home)) return
    const folders = ['.cache', '.cache/mintmark'].map(name => join(home, name))
    if (folders.every(isOwnFolder)) enableCompileCache(folders.at(-1))
  } catch {
    // A container may run as a user id without a home.
  }
}
