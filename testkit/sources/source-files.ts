// Reads this repository as text: which files there are, what each imports, what the docs say.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { posix, resolve, sep } from 'node:path'

export const REPOSITORY = resolve(import.meta.dirname, '../..')

export type SourceFile = {
  /** The path from the top of the repository, with `/`. */
  readonly path: string
  readonly text: string
}

const IMPORT = /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*'([^']+)'|^\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm
// A thread's entry file is named by a URL beside the file that starts it: as good as an import.
// Its ending is `.ts` here and `.js` where the program is emitted.
const THREAD = /\bnew URL\(\s*['`](\.{1,2}\/[\w./-]+?)(?:\.[jt]s|\$\{[^}]*\})['`]\s*,\s*import\.meta\.url/g

/** The text of a file of the repository. A file that is not there is a fault: the check that needs it turns red. */
export const readText = (path: string): string => readFileSync(resolve(REPOSITORY, path), 'utf8')

export const isThere = (path: string): boolean => existsSync(resolve(REPOSITORY, path))

/** The files that match a glob, by path. */
export const readFiles = (glob: string): readonly SourceFile[] =>
  globSync(glob, { cwd: REPOSITORY, exclude: ['**/node_modules/**'] })
    .map(path => path.split(sep).join('/'))
    .toSorted()
    .map(path => ({ path, text: readText(path) }))

/** Every path below a folder, folders and all, whatever the ending. */
export const listPaths = (folder: string): readonly string[] =>
  globSync(`${folder}/**`, { cwd: REPOSITORY, exclude: ['**/node_modules/**'] })
    .map(path => path.split(sep).join('/'))
    .toSorted()

/** The specifiers that a file imports, types included, as they are written. */
export const specifiersOf = (file: SourceFile): readonly string[] => [
  ...[...file.text.matchAll(IMPORT)].flatMap(found => found.slice(1).filter(Boolean)),
  ...[...file.text.matchAll(THREAD)].map(([, entry]) => `${entry}.ts`),
]

/** The files of the repository that a file imports. */
export const importedFilesOf = (file: SourceFile): readonly string[] =>
  specifiersOf(file)
    .filter(specifier => specifier.startsWith('.'))
    .map(specifier => posix.join(posix.dirname(file.path), specifier))

/** The packages that a file imports, `node:` modules too: `@scope/name`, `name` or `node:name`. */
export const importedPackagesOf = (file: SourceFile): readonly string[] =>
  specifiersOf(file)
    .filter(specifier => !specifier.startsWith('.'))
    .map(specifier =>
      (specifier.startsWith('@') ? specifier.split('/').slice(0, 2) : specifier.split('/', 1)).join('/'),
    )

/** The paths of an import cycle, first and last the same; undefined where there is none. */
export const findCycle = (graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined => {
  const finished = new Set<string>()
  const visit = (path: string, trail: readonly string[]): readonly string[] | undefined => {
    const seenAt = trail.indexOf(path)
    if (seenAt >= 0) return [...trail.slice(seenAt), path]
    if (finished.has(path)) return undefined
    for (const next of graph.get(path) ?? []) {
      const cycle = visit(next, [...trail, path])
      if (cycle !== undefined) return cycle
    }
    finished.add(path)
    return undefined
  }
  for (const path of graph.keys()) {
    const cycle = visit(path, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}

/** `path:line` of an offset in a file. */
export const lineOf = (file: SourceFile, offset: number): string =>
  `${file.path}:${file.text.slice(0, offset).split('\n').length}`

/** Returns where the pattern is found, as `path:line: text`. */
export const findIn = (files: readonly SourceFile[], pattern: RegExp): readonly string[] =>
  files.flatMap(file =>
    [...file.text.matchAll(new RegExp(pattern, 'g'))].map(found => `${lineOf(file, found.index)}: ${found[0]}`),
  )

/** Nothing was found that breaks the rule. */
export const nothing = (found: readonly string[], rule: string): void =>
  assert.deepEqual(found, [], `${rule}\n  ${found.join('\n  ')}`)
