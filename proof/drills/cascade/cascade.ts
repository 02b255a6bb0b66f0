// The cascade drill: a token from which many descend is ended, and the service is killed with SIGKILL again and again while
// their records follow. docs/development/drills.md says what it shows and what it cannot.
import { makeDrillFolder } from '../cluster/drill-folder.ts'
import { conclude, formatCount, performAll, print, readOptions } from '../drill.ts'
import { makeRandom } from '../random.ts'
import { STORES, storesUnderDrill } from '../strangers/databases.ts'
import { endFamily } from './end-family.ts'

const options = readOptions({ tokens: 200_000, kills: 12, callers: 16, store: STORES, workers: 2 })
const random = makeRandom(options.seed)
const violations: string[] = []
const done = { tokens: 0, kills: 0, introspections: 0 }

print(`Cascade: ${JSON.stringify(options)}`)
const folder = makeDrillFolder()
for (const store of storesUnderDrill(options.store)) {
  await performAll(violations, async started => {
    const ended = await endFamily(store, { ...options, folder, random, violations, print }, started)
    done.tokens += ended.tokens
    done.kills += ended.kills
    done.introspections += ended.introspections
  })
}
await folder.close(violations.length > 0)
if (violations.length > 0) print(`The embedded store and the logs are kept in ${folder.path}`)
const counts = `${formatCount(done.kills)} kills, ${formatCount(done.introspections)} introspections`
conclude(violations, `${formatCount(done.tokens)} descendants ended with their ancestors, ${counts}`)
