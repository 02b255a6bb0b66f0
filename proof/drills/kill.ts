// The kill drill: under load the service is killed with SIGKILL, or one of its threads is ended, at random moments, and
// after each restart everything that was acknowledged is checked. docs/development/drills.md says what it shows and what it cannot.
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { checkIntrospection, checkLists, chooseTokens } from './check-store.ts'
import { formatCount, print, readOptions, runDrill } from './drill.ts'
import type { EndThread, ThreadEnded } from './end-a-thread.ts'
import { isThere } from '../../testkit/processes/end-child.ts'
import { makeKnownTokens, requireLoad } from './known-tokens.ts'
import { startLoad } from './load.ts'
import { makeRandom, type Random } from './random.ts'
import { type Running, type ServiceUnderDrill, untilReady } from './service-under-drill.ts'

/** What a kill hits: the process under load, one of its threads under load, or the process while it starts. */
type Target = 'process' | 'thread' | 'start'

const PRELOAD = new URL('./end-a-thread.ts', import.meta.url).href
const LOAD_MS_LEAST = 10
const LOAD_MS_MOST = 400
const START_MS_MOST = 900
const ANSWER_MS_MAX = 10_000
/** What a thread's end leaves behind may show a moment later than the end. */
const AFTERMATH_MS = 100
const PROGRESS_KILLS = 20

const options = readOptions({ kills: 200, callers: 16, sample: 500, workers: null })
const random = makeRandom(options.seed)
const known = makeKnownTokens()
const kills: Record<Target, number> = { process: 0, thread: 0, start: 0 }

const chooseTarget = ({ below }: Random): Target => {
  const drawn = below(10)
  if (drawn === 0) return 'start'
  return drawn <= 3 ? 'thread' : 'process'
}

const startService = async ({ start }: ServiceUnderDrill): Promise<Running> => {
  const running = await start({ nodeOptions: ['--import', PRELOAD] })
  if (running === undefined) throw new Error('The service was killed by somebody else.')
  return running
}

const killAtStart = async ({ start }: ServiceUnderDrill): Promise<void> => {
  const afterMs = random.below(START_MS_MOST)
  const timers: NodeJS.Timeout[] = []
  const running = await start({
    onSpawn: child => timers.push(setTimeout(() => child.kill('SIGKILL'), afterMs)),
  })
  timers.forEach(clearTimeout)
  await running?.kill()
  kills.start += 1
}

const endThread = async ({ child, complaints }: Running, port: number): Promise<void> => {
  const answered = once(child, 'message', { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
  child.send({ endThread: random.below(1000) } satisfies EndThread)
  const [{ threads }] = (await answered) as [ThreadEnded]
  if (threads === 0) throw new Error('The service has no thread to end: this drill does not fit it any more.')
  await delay(AFTERMATH_MS)
  if (!isThere(child)) throw new Error(`The whole service ended with one of its threads: ${complaints()}`)
  await untilReady(port)
}

/** Loads, kills, and gives the service that is there afterwards. */
const strike = async (service: ServiceUnderDrill, running: Running, target: Target): Promise<Running> => {
  const { access } = service
  const load = startLoad(access, known, { callers: options.callers, seed: random.below(2 ** 32) })
  await delay(random.between(LOAD_MS_LEAST, LOAD_MS_MOST))
  if (target === 'thread') {
    await endThread(running, access.port)
    await load.stop()
    kills.thread += 1
    return running
  }
  await running.kill()
  await load.stop()
  kills.process += 1
  if (target === 'start') await killAtStart(service)
  return startService(service)
}

const check = async ({ access }: ServiceUnderDrill, since: number): Promise<void> => {
  await untilReady(access.port)
  await checkIntrospection(access, known, chooseTokens(known, { since, sample: options.sample }, random))
  await checkLists(access, known)
}

const done = (): number => kills.process + kills.thread + kills.start

const summary = (): string => {
  const kinds = `${kills.process} of the process, ${kills.start} of a starting one, ${kills.thread} of a thread`
  const { all, revocations, introspections } = known
  const counts = `${formatCount(all.size)} tokens, ${formatCount(revocations)} revocations`
  return `${done()} kills (${kinds}), ${counts} checked, by ${formatCount(introspections)} introspections`
}

const drill = async (service: ServiceUnderDrill): Promise<void> => {
  let running = await startService(service)
  let reported = 0
  while (done() < options.kills && known.violations.length === 0) {
    const since = known.all.size
    running = await strike(service, running, chooseTarget(random))
    await check(service, since)
    if (done() - reported < PROGRESS_KILLS) continue
    reported = done()
    print(`  ${summary()}`)
  }
  if (known.violations.length > 0) return
  await check(service, 0)
  requireLoad(known, done())
}

await runDrill({ name: 'Kill', options, perform: drill, violations: known.violations, summary })
