// Keeps compiled code for the next command, which then needs half the processor time.
import { mkdirSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

const WRITABLE_BY_OTHERS = 0o022

/** Whether no other user can write in the folder: a user who can decides what runs. Throws where there is none. */
const isOwnFolder = (path: string): boolean => {
  const { uid, mode } = statSync(path)
  return process.getuid === undefined || (uid === process.getuid() && (mode & WRITABLE_BY_OTHERS) === 0)
}

/** Made here, one level at a time: in a file system that takes no folders, as /proc, Node tries for ever. */
const makeFolder = (path: string): void => {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch {
    // It is there already, or isOwnFolder finds that it is not.
  }
}

const makeOwnFolder = (path: string): boolean => {
  makeFolder(path)
  return isOwnFolder(path)
}

/**
 * In the home of the user. Where there is none, or it is not theirs alone, nothing is kept, and nothing is made: under sudo it
 * may be another user's. HOME may be empty: what lies in the working folder is anyone's, a clone's for one.
 */
export const keepCompiledCode = (): void => {
  try {
    const home = homedir()
    if (!isAbsolute(home) || !isOwnFolder(home)) return
    const folders = ['.cache', '.cache/mintmark'].map(name => join(home, name))
    if (folders.every(makeOwnFolder)) enableCompileCache(folders.at(-1))
  } catch {
    // A container may run as a user id without a home.
  }
}
