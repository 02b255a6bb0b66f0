// Resolves what our sources import from each other by its path alone. Node looks for links and manifests on the way there, anew
// in each thread, which takes a fifth of the start of a store; here are neither. One file is another for the tests.
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const isOwn = (specifier: string, parent: string | undefined): boolean =>
  /^\.{1,2}\/.*\.ts$/.test(specifier) && parent?.startsWith('file:') === true

const placeOf = (path: string): string => pathToFileURL(join(import.meta.dirname, '../../..', path)).href

const INSTEAD: ReadonlyMap<string, string> = new Map([
  [placeOf('server/src/store/sqlite/writer/make-writer-thread.ts'), placeOf('testkit/stores/reused-writers.ts')],
])

/** What stands in the place of another file itself imports that one. */
const urlOf = (specifier: string, parent: string | undefined): string => {
  const { href } = new URL(specifier, parent)
  const instead = INSTEAD.get(href)
  return instead === undefined || instead === parent ? href : instead
}

registerHooks({
  resolve: (specifier, context, next) => {
    if (!isOwn(specifier, context.parentURL)) return next(specifier, context)
    return { url: urlOf(specifier, context.parentURL), format: 'module-typescript', shortCircuit: true }
  },
})
