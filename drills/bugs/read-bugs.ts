// The patches of bugs/: each a small defect, what it breaks, and the test that catches it.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../..')

export type Bug = {
  readonly name: string
  /** The promise, or the rule and its source. */
  readonly breaks: string
  /** The file of tests, from the root. */
  readonly test: string
  /** The file of the patch, from /. */
  readonly patch: string
}

const HEAD = /^Breaks: (?<breaks>.+)\nCaught by: (?<test>\S+)\n\ndiff /

/** In the order of their names. Throws where a patch does not say what it breaks and what catches it. */
export const readBugs = (): readonly Bug[] => {
  const folder = join(ROOT, 'bugs')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.patch'))
  return files.toSorted().map(file => {
    const patch = join(folder, file)
    const { breaks, test } = HEAD.exec(readFileSync(patch, 'utf8'))?.groups ?? {}
    if (breaks === undefined || test === undefined) throw new Error(`bugs/${file} does not begin as a bug does.`)
    return { name: basename(file, '.patch'), breaks, test, patch }
  })
}
