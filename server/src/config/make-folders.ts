// Makes a folder and those above it.
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const OWNER_ONLY = 0o700

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const hasNoParent = (fault: unknown): boolean => fault instanceof Error && 'code' in fault && fault.code === 'ENOENT'

const makeOne = (path: string): void => {
  try {
    mkdirSync(path, { mode: OWNER_ONLY })
  } catch (fault) {
    if (!isFolder(path)) throw fault
  }
}

/**
 * Makes what is missing, one level at a time, for this user alone; a folder that is there keeps its mode. Throws the error of
 * the system. Not by `recursive: true`: with it Node tries for ever below /proc, and calls a read-only file system ENOENT.
 */
export const makeFolders = (path: string): void => {
  const above = dirname(path)
  try {
    makeOne(path)
  } catch (fault) {
    if (!hasNoParent(fault) || above === path) throw fault
    makeFolders(above)
    makeOne(path)
  }
}
