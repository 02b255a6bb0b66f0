// Brought along by the oracle drill (`--import`), in every thread of the service: edits one source as it is loaded. The
// service knows nothing of it.
import { registerHooks } from 'node:module'
import { applyLeak, LEAK_VARIABLE, SEEDED_LEAKS, type SeededLeak } from './seeded-leaks.ts'

const DECODER = new TextDecoder()
const seeded = new Map<string, SeededLeak>(Object.entries(SEEDED_LEAKS)).get(process.env[LEAK_VARIABLE] ?? '')

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    if (seeded === undefined || !url.endsWith(`server/src/${seeded.file}`)) return loaded
    const { source = '' } = loaded
    return {
      ...loaded,
      source: applyLeak(seeded, typeof source === 'string' ? source : DECODER.decode(source ?? undefined)),
    }
  },
})
