// The thread that makes a flood, apart from the callers that measure it: `start`, then `count` and `stop`, as often as it is asked.
import { parentPort } from 'node:worker_threads'
import { type FloodCounts, type FloodOrder, type RunningFlood, startFlood } from './flood-senders.ts'

export type FloodMessage = { readonly start: FloodOrder } | { readonly count: true } | { readonly stop: true }
export type FloodReport = { readonly served: true } | { readonly counts: FloodCounts }

let running: RunningFlood | undefined

const report = (what: FloodReport): void => parentPort?.postMessage(what)

const start = async (order: FloodOrder): Promise<void> => {
  running = startFlood(order)
  await running.served
  report({ served: true })
}

parentPort?.on('message', (message: FloodMessage) => {
  if ('start' in message) return void start(message.start)
  const counts = 'stop' in message ? running?.stop() : running?.counts
  if ('stop' in message) running = undefined
  report({ counts: counts ?? { opened: 0, served: 0, lost: 0, sent: 0, statuses: new Map() } })
})
