// Imported before the program: what makes its waits is replaced by what makes those of a test. No setting of the program itself
// reaches them.
import { registerHooks } from 'node:module'

const PRODUCTION = new URL('../../server/src/compose/timing.ts', import.meta.url).href
const QUICK = new URL('quick-timing.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context)
    return resolved.url === PRODUCTION && context.parentURL !== QUICK ? { ...resolved, url: QUICK } : resolved
  },
})
