// The cascade drill: a token from which many descend is ended, and the service is killed with SIGKILL again and again while
// their records follow. docs/development/drills.md says what it shows and what it cannot.
import { makeBound } from '../../options.ts'
import { formatCount, print, readOptions, runOnStores } from '../drill.ts'
import { makeRandom } from '../random.ts'
import { STORES } from '../stores.ts'
import { endFamily } from './end-family.ts'

const options = readOptions({ tokens: 200_000, kills: 12, callers: 16, store: STORES, workers: 2 })
const isOver = makeBound(options)
const random = makeRandom(options.seed)
const violations: string[] = []
const done = { tokens: 0, kills: 0, introspections: 0 }

await runOnStores({
  name: 'Cascade',
  options,
  violations,
  perform: async (store, started, folder) => {
    const ended = await endFamily(store, { ...options, folder, random, violations, print, isOver }, started)
    done.tokens += ended.tokens
    done.kills += ended.kills
    done.introspections += ended.introspections
  },
  summary: () => {
    const counts = `${formatCount(done.kills)} kills, ${formatCount(done.introspections)} introspections`
    return `${formatCount(done.tokens)} descendants ended with their ancestors, ${counts}`
  },
})
