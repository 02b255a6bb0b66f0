// Keeps compiled code for the next command, which then needs half the processor time.
import { mkdirSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

const WRITABLE_BY_OTHERS = 0o022

/** Whether no other user can write in the folder, or replace what is in it: whoever can decides what runs. */
const isOwnFolder = (path: string): boolean => {
  const { uid, mode } = statSync(path)
  return process.getuid === undefined || (uid === process.getuid() && (mode & WRITABLE_BY_OTHERS) === 0)
}

/** Made here, one level at a time: in a file system that takes no folders, as /proc, Node tries for ever. */
const makeOwnFolder = (path: string): boolean => {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch {
    // It is there already, or the next line tells that it is not.
  }
  return isOwnFolder(path)
}

/** In the home of the user. Where there is none, or it is not theirs alone, nothing is kept. */
export const keepCompiledCode = (): void => {
  try {
    const home = homedir()
    // An empty or relative home is wherever the command happens to run.
    if (!isAbsolute(home) || !isOwnFolder(home)) return
    const folders = ['.cache', '.cache/mintmark'].map(name => join(home, name))
    if (folders.every(makeOwnFolder)) enableCompileCache(folders.at(-1))
  } catch {
    // A container may run as a user id without a home.
  }
}
