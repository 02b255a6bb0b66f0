// `mintmark-verify serve`: follows the feed, answers checks, and ends in good order.
import type { Server } from 'node:http'
import { createVerifier } from '../../verify/src/create-verifier.ts'
import type { Verifier } from '../../verify/src/verifier.ts'
import type { GatewayConfig } from './config.ts'
import { ENDING_SIGNALS } from './process/early-signals.ts'
import { makeStopListening, type StopListening, type StopTiming } from './process/stop-listening.ts'
import { type Gateway, makeGateway } from './gateway-server.ts'
import { listen } from './listen.ts'
import { formatListenAddress } from './listen-address.ts'
import { type Log, makeLog, makeRestedLog } from './log.ts'
import { misuse } from './usage-error.ts'

/** After a signal checks are answered as before for so long, so that a balancer sees that it is not ready. */
const DRAIN_MS = 1000
/** Then the port closes. */
const STOP: StopTiming = { closeAcceptMs: 500, closeQuietMs: 10, quietTurnMs: 0.1 }
/** From then on a connection without a request is read for so long: one may be on its way. */
const IDLE_MS = 1000
/** What is under way then has so long to end: longer than an introspection takes. */
const FINISH_MS = 6000
const WATCH_MS = 250
const TURNS_APART = 20

const delay = (ms: number): Promise<void> => new Promise(resolve => void setTimeout(resolve, ms))

const closeServer = async (server: Server, stopListening: StopListening): Promise<void> => {
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>()
  const closeIdle = server.closeIdleConnections.bind(server)
  // Node would close those at once whose first request is on its way.
  server.closeIdleConnections = () => undefined
  await stopListening([() => server.close(() => onClosed())], STOP)
  setTimeout(closeIdle, IDLE_MS).unref()
  setTimeout(() => server.closeAllConnections(), FINISH_MS).unref()
  await closed
}

/** What the library says of its options, in the names of the flags. */
const asFlags = (message: string): string =>
  message.replace(
    /^createVerifier: (\w+)/,
    (_text, option: string) => `--${option.replaceAll(/[A-Z]/g, one => `-${one.toLowerCase()}`)}`,
  )

const openVerifier = ({ verifier }: GatewayConfig, log: Log): Verifier => {
  try {
    return createVerifier({ ...verifier, hooks: { failed: problem => log('warn', 'problem', { problem }) } })
  } catch (fault) {
    if (!(fault instanceof TypeError)) throw fault
    return misuse(asFlags(fault.message))
  }
}

/** Logs when it becomes ready, and when it is no longer. Where no tokens come, keys are read again by this alone. */
const watchReadiness = ({ isReady }: Gateway, verifier: Verifier, log: Log): (() => void) => {
  let [was, turns] = [false, 0]
  void verifier.ready()
  const timer = setInterval(() => {
    const is = isReady()
    turns += 1
    if (turns % TURNS_APART === 0) void verifier.ready()
    if (is !== was) log(is ? 'info' : 'warn', is ? 'ready' : 'not_ready')
    was = is
  }, WATCH_MS)
  return () => clearInterval(timer)
}

const untilSignal = (): Promise<string> =>
  new Promise(resolve => {
    const take = (signal: string): void => {
      // A second one ends the process at once.
      for (const one of ENDING_SIGNALS) process.off(one, take)
      resolve(signal)
    }
    for (const signal of ENDING_SIGNALS) process.on(signal, take)
  })

const keepOn = (log: Log): void => {
  process.on('unhandledRejection', fault => log('error', 'fault', { problem: String(fault).slice(0, 200) }))
  // A log that nobody reads must not end the process.
  process.stderr.on('error', () => undefined)
}

const tryListening = async (server: Server, config: GatewayConfig): Promise<string> => {
  try {
    return await listen(server, config.listen)
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault)
    return misuse(
      `${formatListenAddress(config.listen)} cannot be bound (${code}). Give another address with --listen.`,
    )
  }
}

/** Resolves once it has ended after a signal. Throws {@link UsageError} where it cannot begin. */
export const serve = async (config: GatewayConfig): Promise<void> => {
  const log = makeLog(line => void process.stderr.write(line))
  const restedLog = makeRestedLog(log)
  keepOn(log)
  const verifier = openVerifier(config, restedLog)
  const gateway = makeGateway({ config, verifier, log: restedLog })
  const { server } = gateway
  const stopListening = makeStopListening(server)
  const signaled = untilSignal()
  const address = await tryListening(server, config)
  server.on('error', fault => log('error', 'fault', { problem: fault.message }))
  log('info', 'listening', { address, mode: verifier.status().mode })
  if (verifier.status().mode === 'offline') log('warn', 'revocations_not_seen')
  const endWatch = watchReadiness(gateway, verifier, log)
  const signal = await signaled
  endWatch()
  gateway.beginStop()
  log('info', 'stopping', { signal })

  await delay(DRAIN_MS)
  await closeServer(server, stopListening)
  verifier.close()
  log('info', 'stopped')
}
