// A serving thread: it has its own listener on the shared port, and its own reading connection.
import { parentPort, workerData } from 'node:worker_threads'
import { replaceTls } from '../compose/client-certificates.ts'
import { openAccessLog } from '../compose/access-log.ts'
import { connectPorts } from '../compose/compose.ts'
import { listen, startDraining } from '../compose/listen.ts'
import { openTraces } from '../compose/traces.ts'
import { withThreadEnds } from '../compose/thread-ends.ts'
import { makeFaultLog, makeLogger, reportUnhandledRejections } from '../compose/log.ts'
import type { CheckResult } from '../domain/checkup.ts'
import { openThreadMetrics } from '../metrics/watch-thread.ts'
import type { StoreHealth } from '../ports/ports.ts'
import { relayKeySets } from './relayed-key-sets.ts'
import {
  type FromServingThread,
  refusedStart,
  type Reloaded,
  type ServingOptions,
  type ToServingThread,
} from './thread-messages.ts'

const main = parentPort
if (main === null) throw new Error('A serving thread is not a program of its own.')

const options = workerData as ServingOptions
const { config, timing, threadEnds, finishedSignIns, limits, index } = options
const metrics = openThreadMetrics(options.metrics, 'serving', timing)
const notifyMain = (message: FromServingThread): void => main.postMessage(message)

let draining = false

/** A balancer must notice the shutdown before the port closes. */
const untilDraining = (health: StoreHealth): StoreHealth => ({
  ...health,
  check: async () => (draining ? 'The process is shutting down.' : health.check()),
})

const logger = await makeLogger(config)
const report = makeFaultLog({ logger, timing, metrics })
const keySets = relayKeySets((place, seenAt) => notifyMain({ place, seenAt }), {
  monotonic: () => performance.now(),
  timing,
})

const start = async (): Promise<void> => {
  const { traces, close: closeTraces } = await openTraces(config.traces, report, timing)
  const { accessLog, close: closeAccessLog } = await openAccessLog(config.accessLog, report, timing)
  const threadOptions = { clock: options.clock, keySets, report, metrics, traces, timing, finishedSignIns }
  const { ports, replaceProviders, connect, disconnect } = await connectPorts(config, threadOptions)
  let checks: readonly CheckResult[] = []
  const own = { shared: { limits, index }, metrics, traces, accessLog, logger, report, checks: () => checks }
  const address = { tls: config.tls, sharesPort: options.sharesPort, allowedHosts: null, ...own }
  const health = untilDraining(withThreadEnds(ports.health, threadEnds))
  const listening = listen({ ...ports, health }, config, address)

  const close = async (): Promise<void> => {
    try {
      await (await listening).close()
      await disconnect()
      await closeAccessLog()
      await closeTraces()
    } catch (err) {
      logger.error({ err }, 'a serving thread did not end in good order')
    }
    process.exit()
  }

  const reload = async ({ tls, clientCertificates = config.clientCertificates, identityProviders }: Reloaded) => {
    if (identityProviders !== undefined) replaceProviders(identityProviders)
    if (tls !== undefined && tls !== null) replaceTls((await listening).server, tls, clientCertificates)
  }

  // Earlier messages were queued until this listener.
  main.on('message', (message: ToServingThread) => {
    if ('writer' in message) return connect(message.writer)
    if ('place' in message) return keySets.settle(message.place, message.set)
    if ('checks' in message) {
      checks = message.checks
      return
    }
    if ('reloaded' in message) {
      return void reload(message.reloaded).catch((err: unknown) =>
        logger.error({ err }, 'changed files are not in use'),
      )
    }
    draining = true
    void listening.then(startDraining)
    if (message.order === 'close') void close()
  })
  await listening
}

try {
  await start()
  reportUnhandledRejections(report)
  notifyMain({ state: 'listening' })
} catch (fault) {
  const refused = refusedStart(fault)
  if (refused === undefined) throw fault
  notifyMain(refused)
}
