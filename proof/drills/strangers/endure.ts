// One stage of the strangers drill: the strangers on a thread of their own, honest callers beside them, and what is left
// when both are done.
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { askForFirstTokens, type FirstTokens } from './first-tokens.ts'
import { readCursors } from './genuine-cursors.ts'
import { countRevived, fillStock, startHonestCallers } from './honest-callers.ts'
import { GROWTH_MIB_MAX, judge, type Observation } from './judge.ts'
import { faultsIn, peakMiB, resetPeak, residentMiB, threadsOf } from './process-state.ts'
import type { Tally } from './stranger.ts'
import type { AttackOptions } from './stranger-thread.ts'
import type { Service, World } from './world.ts'

export type StageRun = { readonly stage: string; readonly seconds: number; readonly seed: number }

export type StageOutcome = { readonly observed: Observation; readonly wrong: readonly string[] }

/** The proofs of secrets take turns, and the thread that makes them rests in between. */
const IMPORTED_STAGE = 'imported-secret'
const IMPORTED_SECONDS_MIN = 6
/** What a request leaves to be written later, as counts of refusals, is written once a second. */
const AFTERMATH_MS = 1500
const SETTLE_MS_MAX = 10_000
const SETTLE_POLL_MS = 250
/** The longest time that a stage may run beyond its own. */
const ATTACK_GRACE_MS = 5000
const NO_TALLY: Tally = { connections: 0, statuses: new Map() }

/** Ends the thread, and with it all its connections, whatever becomes of the stage. */
const attack = async (options: AttackOptions): Promise<Tally> => {
  const thread = new Worker(new URL('./stranger-thread.ts', import.meta.url), { workerData: options })
  try {
    const signal = AbortSignal.timeout(1000 * options.seconds + ATTACK_GRACE_MS)
    const [tally] = (await once(thread, 'message', { signal })) as [Tally]
    return tally
  } catch (fault) {
    // Out of time: nothing is known of what strangers did, which the judge takes for nothing done.
    if (fault instanceof Error && fault.name === 'AbortError') return NO_TALLY
    throw fault
  } finally {
    await thread.terminate()
  }
}

/** Memory may be freed a while after its use; the process gets some time for that. */
const settle = async ({ pid, ended }: Service, beforeMiB: number): Promise<number> => {
  await delay(AFTERMATH_MS)
  const until = performance.now() + SETTLE_MS_MAX
  for (;;) {
    const resident = residentMiB(pid)
    if (!(resident - beforeMiB > GROWTH_MIB_MAX) || ended() !== null || performance.now() > until) return resident
    await delay(SETTLE_POLL_MS)
  }
}

/** Asks in the one stage that floods an imported client, which is slow to recognize only until its first token. */
const askBeside = ({ access, importedClients }: World, { stage, seconds }: StageRun): Promise<FirstTokens | null> =>
  stage === IMPORTED_STAGE ? askForFirstTokens(access.port, importedClients, seconds) : Promise.resolve(null)

/** Runs both at once: the strangers, and those whom they want to keep from their first token. */
const attackBeside = (world: World, run: StageRun, options: AttackOptions) =>
  Promise.all([attack(options), askBeside(world, run)])

/** What can be seen of the process, before the strangers come and after they have gone. */
const seen = ({ pid }: Service) => ({ threads: threadsOf(pid), residentMiB: residentMiB(pid) })

/** Runs one stage against a service that is well, and judges what is left of it. */
export const endure = async (world: World, service: Service, asked: StageRun): Promise<StageOutcome> => {
  const least = asked.stage === IMPORTED_STAGE ? IMPORTED_SECONDS_MIN : 0
  const run = { ...asked, seconds: Math.max(asked.seconds, least) }
  const { access, adminJwt, importedClients, tokens } = world
  const wrong: string[] = []
  await fillStock(access, tokens)
  tokens.ended.length = 0
  const cursors = await readCursors(access.port, adminJwt)
  const known = { token: tokens.live[0] ?? '', importedClientId: importedClients[0]?.clientId ?? '' }
  service.readLog()
  const before = seen(service)
  resetPeak(service.pid)
  await using honest = startHonestCallers(access, tokens, found => void wrong.push(found))
  const [tally, firstTokens] = await attackBeside(world, run, { ...run, ...known, access, adminJwt, cursors })
  const residentAfterMiB = await settle(service, before.residentMiB)
  const counts = await honest.stop()
  const left = threadsOf(service.pid)
  const observed: Observation = {
    ended: service.ended(),
    threadsEnded: before.threads.filter(thread => !left.includes(thread)).length,
    faults: faultsIn(service.readLog()),
    residentBeforeMiB: before.residentMiB,
    residentAfterMiB,
    peakMiB: peakMiB(service.pid),
    honest: counts,
    revived: 0,
    ...tally,
    firstTokens,
  }
  // Of a service that is not well it is asked once it has been started again.
  const revived = judge(observed).length === 0 ? await countRevived(access, tokens) : 0
  return { observed, wrong: [...judge({ ...observed, revived }), ...wrong] }
}
