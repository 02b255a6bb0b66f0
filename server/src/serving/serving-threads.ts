// Runs the serving threads: starts them, replaces one that ends unexpectedly, and shuts them down in order.
import { createServer } from 'node:net'
import { once } from 'node:events'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { clearConnections, makeLimitMemory } from '../compose/limits.ts'
import type { Service } from '../compose/compose.ts'
import { countThreadEnd } from '../compose/thread-ends.ts'
import { CAN_SHARE_PORTS, type ServeConfig } from '../config/config.ts'
import type { Timing } from '../ports/timing.ts'
import { refuseListening } from '../config/start-refused.ts'
import type { Notices } from './notices.ts'
import { type FromServingThread, type ServingOptions, startFailureOf, type ToServingThread } from './thread-messages.ts'

type ServingProcess = {
  readonly config: ServeConfig
  readonly timing: Timing
  readonly service: Pick<Service, 'host' | 'keySets' | 'threadEnds' | 'finishedSignIns' | 'metrics'>
  readonly logger: Logger
  /** What changes while the service runs. */
  readonly notices: Notices
}

type ServingThreads = {
  /**
   * Starts `config.workers` threads, or throws a StartRefused or Unavailable and leaves none running. False where they were closed
   * meanwhile.
   */
  readonly start: () => Promise<boolean>
  /** Fails /readyz during the drain, finishes requests in progress, and ends the threads. There is no drain where none listens yet. */
  readonly close: () => Promise<void>
}

// With a shared port the system would let another program of this user listen too and receive half of the requests.
const refuseTakenPort = async ({ host, port }: ServeConfig): Promise<void> => {
  const probe = createServer()
  try {
    probe.listen({ host, port })
    await once(probe, 'listening')
  } catch (error) {
    throw refuseListening(error, { host, port, variable: 'PORT' })
  }
  probe.close()
  await once(probe, 'close')
}

type Shared = Pick<ServingOptions, 'sharesPort' | 'limits' | 'threadEnds' | 'finishedSignIns'> & {
  /** The memory for metrics of each thread. */
  readonly memories: readonly ServingOptions['metrics'][]
  /** The threads that do not listen yet. */
  readonly starting: Set<Worker>
}

const startThread = (serving: ServingProcess, given: Shared, index: number): Promise<Worker> => {
  const { memories, starting, ...shared } = given
  const { timing, service, logger, notices } = serving
  const { host, keySets } = service
  const config = notices.latest(serving.config)
  const metrics = memories[index] ?? null
  const options: ServingOptions = { config, timing, clock: host.clock, index, metrics, ...shared }
  const file = new URL(`./serving-thread${import.meta.url.slice(-3)}`, import.meta.url)
  const thread = new Worker(file, { workerData: options, name: 'mintmark serving' })
  starting.add(thread)
  thread.once('exit', () => starting.delete(thread))
  const report = (message: ToServingThread): void => thread.postMessage(message)
  const detach = host.attach(writer => thread.postMessage({ writer } satisfies ToServingThread, [writer]))
  thread.once('exit', detach)
  thread.once('exit', notices.attach(report))
  thread.once('exit', () => clearConnections(shared.limits, index))
  return new Promise((resolve, reject) => {
    thread.on('message', (message: FromServingThread) => {
      if ('place' in message) {
        const { place, seenAt } = message
        const onFault = (err: unknown): void => logger.error({ err, place }, 'a key set could not be read')
        keySets
          .latest(place, seenAt)
          .then(set => report({ place, set }))
          .catch(onFault)
      } else if (message.state === 'listening') {
        starting.delete(thread)
        resolve(thread)
      } else {
        reject(startFailureOf(message))
        void thread.terminate()
      }
    })
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('A serving thread ended as it started.')))
  })
}

const order = (thread: Worker, what: 'drain' | 'close'): void =>
  thread.postMessage({ order: what } satisfies ToServingThread)

export const makeServing = (serving: ServingProcess): ServingThreads => {
  const { config, timing, logger } = serving
  const { threadEnds, finishedSignIns, metrics } = serving.service
  const shared = {
    threadEnds,
    finishedSignIns,
    sharesPort: CAN_SHARE_PORTS,
    limits: makeLimitMemory(config.limits, config.workers),
    memories: Array.from({ length: config.workers }, metrics.addThread),
    starting: new Set<Worker>(),
  }
  const threads = new Set<Worker>()
  let closing = false

  const keep = (thread: Worker, index: number): void => {
    threads.add(thread)
    if (closing) order(thread, 'drain')
    thread.on('error', err => logger.error({ err }, 'a serving thread failed'))
    thread.once('exit', () => {
      threads.delete(thread)
      if (!closing) void replace(index)
    })
  }

  const replace = async (index: number): Promise<void> => {
    logger.error('a serving thread ended by itself and is replaced')
    countThreadEnd(threadEnds, metrics.main, 'serving')
    await delay(timing.threadRestartMs)
    if (closing) return
    try {
      keep(await startThread(serving, shared, index), index)
    } catch (err) {
      if (closing) return
      logger.error({ err }, 'a serving thread could not be replaced')
      void replace(index)
    }
  }

  const close = async (): Promise<void> => {
    closing = true
    // A thread that reported in this turn of the event loop that it listens joins `threads` first.
    await turn()
    for (const thread of threads) order(thread, 'drain')
    if (threads.size > 0) await delay(timing.drainMs)
    const ended = [...threads, ...shared.starting].map(thread => once(thread, 'exit'))
    for (const thread of threads) order(thread, 'close')
    // Threads that do not listen yet have no request to finish.
    for (const thread of shared.starting) void thread.terminate()
    await Promise.all(ended)
  }

  const startFirst = async (index: number): Promise<void> => keep(await startThread(serving, shared, index), index)

  const start = async (): Promise<boolean> => {
    if (shared.sharesPort) await refuseTakenPort(config)
    const first = Array.from({ length: closing ? 0 : config.workers }, (_, index) => startFirst(index))
    const started = await Promise.allSettled(first)
    const failed = started.find(one => one.status === 'rejected')
    if (closing || failed === undefined) return !closing
    closing = true
    await Promise.all([...threads].map(thread => thread.terminate()))
    throw failed.reason
  }
  return { start, close }
}
