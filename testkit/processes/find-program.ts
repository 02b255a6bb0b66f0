// Finds programs that this machine has: nothing is fetched, nothing installed.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const SYSTEM_FOLDERS = ['/usr/local/bin', '/usr/bin', '/usr/local/sbin', '/usr/sbin']

export const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    // Not there, or not ours to run.
    return false
  }
}

/** The path of a program of this machine. */
export const findProgram = (name: string): string | undefined =>
  [...(process.env['PATH'] ?? '').split(delimiter), ...SYSTEM_FOLDERS]
    .filter(folder => folder !== '')
    .map(folder => join(folder, name))
    .find(isProgram)

/** Why commands of a page cannot be run on this machine; false where they can. */
export const NO_CURL: string | false = findProgram('curl') === undefined && 'curl is not there'
