// Crashes of the machine: what the service wrote and did not sync is lost, torn or reordered when the power is cut.
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Running, untilReady } from '../service-under-drill.ts'
import type { Crashes, Crashing } from './crashes.ts'
import { DATABASE, recordFolder } from './recorded-folder.ts'

const LOAD_MS_LEAST = 10
const LOAD_MS_MOST = 500
/** The share of cuts that wait, for a bounded time, until a checkpoint begins: only then is the database file written. */
const AIMED_SHARE = 0.35
const AIM_MS_MAX = 4000
/** What a sync takes beyond what this machine's disk needs: on a slow disk a cut finds more that is not synced. */
const SYNC_MICROSECONDS = [0, 2000, 8000]
/** The share of cuts before which the process alone is killed and started again: it then reads what is not yet synced. */
const RESTART_SHARE = 0.3

/** Waits until the database file is written to, or for so long at most. */
const untilCheckpoint = async (dataFolder: string): Promise<void> => {
  const file = join(dataFolder, DATABASE)
  const { mtimeMs: before } = statSync(file)
  for (const until = Date.now() + AIM_MS_MAX; Date.now() < until; await delay(1)) {
    if (statSync(file).mtimeMs !== before) return
  }
}

export const makeCuts = ({ service, random, load, known, check }: Crashing): Crashes => {
  if (process.platform !== 'linux') throw new Error('It needs Linux, where a library can be preloaded.')
  const { access, dataFolder } = service
  const folder = recordFolder(dataFolder, dirname(dataFolder))
  const unsynced = { kept: 0, dropped: 0, torn: 0, reordered: 0 }
  let [cuts, inCheckpoint, checkedUpTo] = [0, 0, 0]

  const start = async (): Promise<Running> => {
    const running = await service.start({ variables: folder.variables(random.pick(SYNC_MICROSECONDS)) })
    if (running === undefined) throw new Error('The service was killed by somebody else.')
    return running
  }

  // Before any other request: what is answered now must hold even if nothing is written any more.
  const checkFirst = async (since: number): Promise<void> => {
    await check(since)
    await untilReady(access.port)
  }

  const loadAndKill = async (running: Running): Promise<void> => {
    const loading = load()
    if (!random.chance(AIMED_SHARE)) await delay(random.between(LOAD_MS_LEAST, LOAD_MS_MOST))
    else await untilCheckpoint(dataFolder)
    await running.kill()
    await loading.stop()
    folder.endLife()
  }

  /** A restart that the page cache survives. */
  const restart = async (): Promise<void> => {
    const again = await start()
    await check(checkedUpTo, 'new')
    if (random.chance(0.5)) return loadAndKill(again)
    await again.kill()
    folder.endLife()
  }

  /** A life under load, perhaps a restart in between, and the power goes. */
  const crash = async (): Promise<void> => {
    const running = await start()
    const since = checkedUpTo
    checkedUpTo = known()
    await checkFirst(since)
    await loadAndKill(running)
    if (random.chance(RESTART_SHARE)) await restart()
    const { inDatabase, ...losses } = folder.cutPower(random)
    if (inDatabase > 0) inCheckpoint += 1
    unsynced.kept += losses.kept
    unsynced.dropped += losses.dropped
    unsynced.torn += losses.torn
    unsynced.reordered += losses.reordered
    cuts += 1
  }

  return {
    begin: async () => {},
    crash,
    end: async () => {
      await start()
      await checkFirst(0)
    },
    describe: () => {
      const { kept, torn, reordered, dropped } = unsynced
      const outcomes = `${kept} unsynced writes kept, ${torn} of them torn, ${reordered} reordered, ${dropped} dropped`
      return `${cuts} cuts (${inCheckpoint} within a checkpoint; ${outcomes})`
    },
  }
}
