// The regular expressions of the program, as the compiler and the runtime see them.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Node } from 'typescript/unstable/ast'
import { isIdentifier, isNewExpression, isRegularExpressionLiteral } from 'typescript/unstable/ast/is'
import { API } from 'typescript/unstable/sync'
import { lineOf, readFiles, REPOSITORY, type SourceFile } from './source-files.ts'

/** `at` is `path:line`. */
export type FoundExpression = { readonly at: string; readonly source: string; readonly flags: string }

/** What the compiler sees of the sources: the literals, and the places where an expression is made of a text. */
export const findExpressions = (): {
  readonly literals: readonly FoundExpression[]
  readonly made: readonly string[]
} => {
  const literals: FoundExpression[] = []
  const made: string[] = []
  const api = new API({ cwd: REPOSITORY })
  try {
    const openProjects = PROJECTS.map(path => join(REPOSITORY, path))
    const projects = api.updateSnapshot({ openProjects }).getProjects()
    for (const file of sourceFiles()) {
      const path = join(REPOSITORY, file.path)
      const read = projects.map(({ program }) => program.getSourceFile(path)).find(one => one !== undefined)
      const parsed = read ?? assert.fail(file.path)
      const visit = (node: Node): void => {
        const at = (): string => lineOf(file, node.getStart(parsed))
        if (isRegularExpressionLiteral(node)) literals.push({ at: at(), ...literalOf(node.text) })
        else if (isNewExpression(node) && isIdentifier(node.expression) && node.expression.text === 'RegExp')
          made.push(at())
        node.forEachChild(visit)
      }
      visit(parsed)
    }
  } finally {
    api.close()
  }
  return { literals, made }
}

const PROJECTS = ['tsconfig.json', 'console/tsconfig.json']
const PROGRAM = ['api/**/*.ts', 'server/src/**/*.ts', 'packages/*/src/**/*.ts', 'console/src/**/*.{ts,tsx}']

const sourceFiles = (): readonly SourceFile[] => PROGRAM.flatMap(readFiles)

const literalOf = (text: string): Pick<FoundExpression, 'source' | 'flags'> => {
  const end = text.lastIndexOf('/')
  return { source: text.slice(1, end), flags: text.slice(end + 1) }
}

/** `path:line` of the source that called the constructor; the frames before it are of this file. */
const placeIn = (stack: string): string | undefined => {
  const root = pathToFileURL(`${REPOSITORY}/`).href
  for (const [, url = '', line = ''] of stack.matchAll(/(file:[^\s()]+?)(?:\?[^\s:]*)?:(\d+):\d+\)?$/gm)) {
    if (url !== import.meta.url) return url.startsWith(root) ? `${url.slice(root.length)}:${line}` : undefined
  }
  return undefined
}

/** What the modules make of texts while they are loaded, anew. */
export const recordMade = async (paths: readonly string[]): Promise<readonly FoundExpression[]> => {
  const found: FoundExpression[] = []
  const Original = RegExp
  const construct = (target: typeof RegExp, args: [string, string?], newTarget: typeof RegExp): RegExp => {
    const expression = Reflect.construct<[string, string?], RegExp>(target, args, newTarget)
    const at = placeIn(new Error('a place').stack ?? '')
    if (at !== undefined) found.push({ at, source: expression.source, flags: expression.flags })
    return expression
  }
  globalThis.RegExp = new Proxy(Original, { construct })
  try {
    for (const path of paths) await import(`${pathToFileURL(join(REPOSITORY, path)).href}?anew`)
  } finally {
    globalThis.RegExp = Original
  }
  return found
}
