// The power drill: under load the service's machine loses power at random moments; what was not synced is lost, torn or
// reordered, and everything that was acknowledged is checked. docs/development/drills.md says what it shows and what it cannot.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { checkIntrospection, checkLists, chooseTokens } from './check-store.ts'
import { formatCount, print, readOptions, runDrill } from './drill.ts'
import { makeKnownTokens, requireLoad } from './known-tokens.ts'
import { startLoad } from './load.ts'
import { makeRandom } from './random.ts'
import { DATABASE, recordFolder, type RecordedFolder } from './power/recorded-folder.ts'
import { type Running, type ServiceUnderDrill, untilReady } from './service-under-drill.ts'

const LOAD_MS_LEAST = 10
const LOAD_MS_MOST = 500
/** So many of the cuts wait for a checkpoint to begin, for so long at most: the database file is written only then. */
const AIMED_SHARE = 0.35
const AIM_MS_MAX = 4000
/** What a sync takes beyond what this machine's disk needs: on a slow disk a cut finds more that is not synced. */
const SYNC_MICROSECONDS = [0, 2000, 8000]
/** Before so many of the cuts the process alone is killed and started again: it then reads what is not yet synced. */
const RESTART_SHARE = 0.3
const PROGRESS_CUTS = 10

const options = readOptions({ cuts: 100, callers: 16, sample: 500, workers: null })
const random = makeRandom(options.seed)
const known = makeKnownTokens()
const unsynced = { kept: 0, dropped: 0, torn: 0, reordered: 0 }
let cuts = 0
let inCheckpoint = 0
let checkedUpTo = 0

const startRecorded = async (service: ServiceUnderDrill, folder: RecordedFolder): Promise<Running> => {
  const running = await service.start({ variables: folder.variables(random.pick(SYNC_MICROSECONDS)) })
  if (running === undefined) throw new Error('The service was killed by somebody else.')
  return running
}

const check = async ({ access }: ServiceUnderDrill, since: number): Promise<void> => {
  // Before any other request: what is answered now must hold even if nothing is written any more.
  await checkIntrospection(access, known, chooseTokens(known, { since, sample: options.sample }, random))
  await checkLists(access, known)
  await untilReady(access.port)
}

/** Until the database file is written to, or for so long at most. */
const untilCheckpoint = async (dataFolder: string): Promise<void> => {
  const file = join(dataFolder, DATABASE)
  const { mtimeMs: before } = statSync(file)
  for (const until = Date.now() + AIM_MS_MAX; Date.now() < until; await delay(1)) {
    if (statSync(file).mtimeMs !== before) return
  }
}

const loadAndKill = async (service: ServiceUnderDrill, running: Running, folder: RecordedFolder): Promise<void> => {
  const load = startLoad(service.access, known, { callers: options.callers, seed: random.below(2 ** 32) })
  if (!random.chance(AIMED_SHARE)) await delay(random.between(LOAD_MS_LEAST, LOAD_MS_MOST))
  else await untilCheckpoint(service.dataFolder)
  await running.kill()
  await load.stop()
  folder.endLife()
}

/** One cut: a life under load, perhaps a restart in between that the page cache survives, and the power goes. */
const cut = async (service: ServiceUnderDrill, folder: RecordedFolder): Promise<void> => {
  const running = await startRecorded(service, folder)
  const since = checkedUpTo
  checkedUpTo = known.all.size
  await check(service, since)
  await loadAndKill(service, running, folder)
  if (random.chance(RESTART_SHARE)) {
    const again = await startRecorded(service, folder)
    await checkIntrospection(service.access, known, chooseTokens(known, { since: checkedUpTo, sample: 0 }, random))
    if (random.chance(0.5)) await loadAndKill(service, again, folder)
    else {
      await again.kill()
      folder.endLife()
    }
  }
  const { inDatabase, ...losses } = folder.cutPower(random)
  if (inDatabase > 0) inCheckpoint += 1
  unsynced.kept += losses.kept
  unsynced.dropped += losses.dropped
  unsynced.torn += losses.torn
  unsynced.reordered += losses.reordered
  cuts += 1
}

const summary = (): string => {
  const { all, revocations, introspections } = known
  const { kept, dropped, torn, reordered } = unsynced
  const outcomes = `${kept} unsynced writes kept, ${torn} of them torn, ${reordered} reordered, ${dropped} dropped`
  const counts = `${formatCount(all.size)} tokens, ${formatCount(revocations)} revocations`
  return `${cuts} cuts (${inCheckpoint} within a checkpoint; ${outcomes}), ${counts} checked, by ${formatCount(introspections)} introspections`
}

const drill = async (service: ServiceUnderDrill): Promise<void> => {
  if (process.platform !== 'linux') throw new Error('It needs Linux, where a library can be preloaded.')
  const folder = recordFolder(service.dataFolder, service.folder)
  while (cuts < options.cuts && known.violations.length === 0) {
    await cut(service, folder)
    if (cuts % PROGRESS_CUTS === 0) print(`  ${summary()}`)
  }
  if (known.violations.length > 0) return
  await startRecorded(service, folder)
  await check(service, 0)
  requireLoad(known, cuts)
}

await runDrill({ name: 'Power', options, perform: drill, violations: known.violations, summary })
