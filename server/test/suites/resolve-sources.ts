// Resolves what our sources import from each other by its path alone. Node looks for links and manifests on the way there, anew
// in each thread, which takes a fifth of the start of a store; here are neither.
import { registerHooks } from 'node:module'

const isOwn = (specifier: string, parent: string | undefined): boolean =>
  /^\.{1,2}\/.*\.ts$/.test(specifier) && parent?.startsWith('file:') === true

registerHooks({
  resolve: (specifier, context, next) => {
    if (!isOwn(specifier, context.parentURL)) return next(specifier, context)
    const { href: url } = new URL(specifier, context.parentURL)
    return { url, format: 'module-typescript', shortCircuit: true }
  },
})
