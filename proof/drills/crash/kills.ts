// Crashes of the service alone: the process is killed under load or while it starts, or one of its threads is ended.
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { isThere } from '../../../testkit/processes/end-child.ts'
import { type Running, untilReady } from '../service-under-drill.ts'
import type { Crashes, Crashing } from './crashes.ts'
import type { EndThread, ThreadEnded } from './end-a-thread.ts'

/** What a kill hits: the process under load, one of its threads under load, or the process while it starts. */
type Target = 'process' | 'thread' | 'start'

const PRELOAD = new URL('./end-a-thread.ts', import.meta.url).href
const LOAD_MS_LEAST = 10
const LOAD_MS_MOST = 400
const START_MS_MOST = 900
const ANSWER_MS_MAX = 10_000
/** What a thread's end leaves behind may show a moment later than the end. */
const AFTERMATH_MS = 100

export const makeKills = ({ service, random, load, known, check }: Crashing): Crashes => {
  const { port } = service.access
  const kills: Record<Target, number> = { process: 0, thread: 0, start: 0 }
  let running: Running

  const chooseTarget = (): Target => {
    const drawn = random.below(10)
    if (drawn === 0) return 'start'
    return drawn <= 3 ? 'thread' : 'process'
  }

  const begin = async (): Promise<void> => {
    const started = await service.start({ nodeOptions: ['--import', PRELOAD] })
    if (started === undefined) throw new Error('The service was killed by somebody else.')
    running = started
  }

  const killAtStart = async (): Promise<void> => {
    const afterMs = random.below(START_MS_MOST)
    const timers: NodeJS.Timeout[] = []
    const starting = await service.start({
      onSpawn: child => timers.push(setTimeout(() => child.kill('SIGKILL'), afterMs)),
    })
    timers.forEach(clearTimeout)
    await starting?.kill()
    kills.start += 1
  }

  const endThread = async ({ child, complaints }: Running): Promise<void> => {
    const answered = once(child, 'message', { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
    child.send({ endThread: random.below(1000) } satisfies EndThread)
    const [{ threads }] = (await answered) as [ThreadEnded]
    if (threads === 0) throw new Error('The service has no thread to end: this drill does not fit it any more.')
    await delay(AFTERMATH_MS)
    if (!isThere(child)) throw new Error(`The whole service ended with one of its threads: ${complaints()}`)
    await untilReady(port)
  }

  const strike = async (target: Target): Promise<void> => {
    const loading = load()
    await delay(random.between(LOAD_MS_LEAST, LOAD_MS_MOST))
    await (target === 'thread' ? endThread(running) : running.kill())
    await loading.stop()
    kills[target === 'thread' ? 'thread' : 'process'] += 1
    if (target === 'thread') return
    if (target === 'start') await killAtStart()
    await begin()
  }

  const checkSince = async (since: number): Promise<void> => {
    await untilReady(port)
    await check(since)
  }

  return {
    begin,
    crash: async () => {
      const since = known()
      await strike(chooseTarget())
      await checkSince(since)
    },
    end: () => checkSince(0),
    describe: () =>
      `${kills.process + kills.start + kills.thread} kills (${kills.process} of the process, ${kills.start} of a starting one, ${kills.thread} of a thread)`,
  }
}
