// The thread of the honest callers, whose clock no flood shares.
import { parentPort, workerData } from 'node:worker_threads'
import { type HonestOptions, makeHonestCallers, type Measured } from './honest.ts'

export type HonestMessage =
  | { readonly do: 'fill'; readonly count: number }
  | { readonly do: 'begin' }
  | { readonly do: 'end' }
  | { readonly do: 'check' }

export type HonestReport = {
  readonly measured?: Measured
  readonly revived?: number
  readonly token?: string
  /** What the thread could not do. */
  readonly fault?: string
}

const callers = makeHonestCallers(workerData as HonestOptions)

const perform = async (message: HonestMessage): Promise<HonestReport> => {
  switch (message.do) {
    case 'fill':
      await callers.fill(message.count)
      return { token: callers.tokenSeen() }
    case 'begin':
      await callers.begin()
      return {}
    case 'end':
      return { measured: await callers.end() }
    case 'check':
      return { revived: await callers.countRevived() }
  }
}

parentPort?.on('message', (message: HonestMessage) => {
  void perform(message)
    .catch((fault: unknown): HonestReport => ({ fault: fault instanceof Error ? fault.message : String(fault) }))
    .then(report => parentPort?.postMessage(report))
})
