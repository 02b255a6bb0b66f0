// Brought along by the oracle drill (`--import`), in every thread of the service: edits one source as it is loaded. The
// service knows nothing of it.
import { registerHooks } from 'node:module'
import { applyPlant, PLANT_VARIABLE, PLANTS, type Plant } from './plants.ts'

const DECODER = new TextDecoder()
const planted = new Map<string, Plant>(Object.entries(PLANTS)).get(process.env[PLANT_VARIABLE] ?? '')

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    if (planted === undefined || !url.endsWith(`server/src/${planted.file}`)) return loaded
    const { source = '' } = loaded
    return {
      ...loaded,
      source: applyPlant(planted, typeof source === 'string' ? source : DECODER.decode(source ?? undefined)),
    }
  },
})
