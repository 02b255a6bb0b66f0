// The bank of seeded bugs: `bugs/SUBJECT/NNN-name.patch`, each a defect, the promise that it breaks and the test that finds it.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './program-copy.ts'

export type SeededBug = {
  /** Of the patch, from the top of the repository. */
  readonly path: string
  /** What is wrong, in a sentence. */
  readonly bug: string
  /** The promise that it breaks. */
  readonly breaks: string
  /** The file of the test that finds it. */
  readonly file: string
  /** A part of the test's title, as its file writes it. */
  readonly title: string
  readonly store: 'sqlite' | 'postgres'
}

const FIELDS = ['Bug', 'Breaks', 'Test', 'Title', 'Store'] as const

const fieldsOf = (text: string): Readonly<Record<string, string>> => {
  const head = text.slice(0, text.indexOf('\n---\n'))
  return Object.fromEntries(
    head.split('\n').map(line => {
      const [name = '', ...value] = line.split(': ')
      return [name, value.join(': ')]
    }),
  )
}

/** Throws where the head of a patch lacks a field or has an unknown one. */
export const parseBug = (path: string, text: string): SeededBug => {
  const fields = fieldsOf(text)
  const unknown = Object.keys(fields).filter(name => !FIELDS.some(field => field === name))
  const { Bug: bug, Breaks: breaks, Test: file, Title: title, Store: store = 'sqlite' } = fields
  const isStore = store === 'sqlite' || store === 'postgres'
  if (!bug || !breaks || !file || !title || !isStore || unknown.length > 0) {
    throw new Error(
      `${path}: its head needs Bug, Breaks, Test and Title, one a line, perhaps Store: postgres, then ---`,
    )
  }
  return { path, bug, breaks, file, title, store }
}

/** Every bug of the bank, by number. */
export const readBugs = (): readonly SeededBug[] =>
  globSync('bugs/*/*.patch', { cwd: ROOT })
    .toSorted((a, b) => (a.replace(/.*\//, '') < b.replace(/.*\//, '') ? -1 : 1))
    .map(path => parseBug(path, readFileSync(join(ROOT, path), 'utf8')))
