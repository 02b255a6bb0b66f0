// One of the threads that serve: a listener of its own on the shared port, and a reading connection of its own.
import { parentPort, workerData } from 'node:worker_threads'
import { connectPorts, listen } from '../compose.ts'
import type { StoreHealth } from '../ports.ts'
import { StartRefused } from '../start-refused.ts'
import { relayOperators } from './relayed-operators.ts'
import type { FromServingThread, ServingOptions, ToServingThread } from './thread-messages.ts'

const main = parentPort
if (main === null) throw new Error('A serving thread is not a program of its own.')

const { config, clock, sharesPort, importCell } = workerData as ServingOptions
const tell = (message: FromServingThread): void => main.postMessage(message)

let draining = false

/** A balancer must see that this process ends before its port closes. */
const untilDraining = (health: StoreHealth): StoreHealth => ({
  check: async () => (draining ? 'The process is shutting down.' : health.check()),
})

const operators = relayOperators((verification, jwt) => tell({ verification, jwt }))
const { ports, connect, disconnect } = await connectPorts(config, clock, operators)

const start = async (): Promise<() => Promise<void>> => {
  const { health } = ports
  const options = { tls: config.tls, allowedHosts: null, sharesPort, importCell }
  const server = await listen({ ...ports, health: untilDraining(health) }, config, options)
  tell({ state: 'listening' })
  return async () => {
    await server.close()
    await disconnect()
    process.exit()
  }
}

const starting = start()

main.on('message', (message: ToServingThread) => {
  if ('writer' in message) connect(message.writer)
  else if ('verification' in message) operators.settle(message.verification, message.answer)
  else {
    draining = true
    if (message.order === 'close') void starting.then(close => close())
  }
})

starting.catch((error: unknown) => {
  if (!(error instanceof StartRefused)) throw error
  tell({ state: 'refused', message: error.message })
})
