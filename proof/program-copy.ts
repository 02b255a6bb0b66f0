// Copies of this program in which a drill seeds a defect. The copy uses the packages of this checkout.
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')

const LEFT_OUT = new Set(['.cache', '.git', '.mintmark', '.stryker-tmp', 'node_modules'])

/** Copies files and folders of the repository, by their paths in it, into an empty folder. */
export const copyProgram = (folder: string, paths: readonly string[]): void => {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    const filter = (source: string): boolean => !LEFT_OUT.has(basename(source))
    cpSync(join(ROOT, path), join(folder, path), { recursive: true, filter })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}
