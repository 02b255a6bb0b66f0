// The threads of a flood and of the honest callers, as the drill talks to them: an order, and its one report.
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { FloodCounts, FloodOrder } from './flood-senders.ts'
import type { FloodMessage, FloodReport } from './flood-thread.ts'
import type { HonestOptions, Measured } from './honest.ts'
import type { HonestMessage, HonestReport } from './honest-thread.ts'

export type Flooder = {
  /** Returns once every connection takes part, or after `withinMs`. */
  readonly start: (order: FloodOrder, withinMs: number) => Promise<void>
  /** What was done so far. */
  readonly count: () => Promise<FloodCounts>
  readonly stop: () => Promise<FloodCounts>
}

export type Honest = {
  /** Gives one of the tokens, which is live. */
  readonly fill: (count: number) => Promise<string>
  readonly begin: () => Promise<void>
  readonly end: () => Promise<Measured>
  readonly countRevived: () => Promise<number>
}

export const startFlooder = (started: AsyncDisposableStack): Flooder => {
  const thread = new Worker(new URL('./flood-thread.ts', import.meta.url))
  started.defer(async () => void (await thread.terminate()))
  const send = (message: FloodMessage): void => thread.postMessage(message)
  let onCounts: ((counts: FloodCounts) => void) | undefined
  const ask = (message: FloodMessage): Promise<FloodCounts> => {
    const counts = new Promise<FloodCounts>(resolve => (onCounts = resolve))
    send(message)
    return counts
  }
  let onServed: (() => void) | undefined
  thread.on('message', (report: FloodReport) => {
    if ('counts' in report) onCounts?.(report.counts)
    else onServed?.()
  })
  return {
    start: async (order, withinMs) => {
      const served = new Promise<void>(resolve => (onServed = resolve))
      send({ start: order })
      await Promise.race([served, delay(withinMs, undefined, { ref: false })])
    },
    count: () => ask({ count: true }),
    stop: () => ask({ stop: true }),
  }
}

export const startHonest = (options: HonestOptions, started: AsyncDisposableStack): Honest => {
  const thread = new Worker(new URL('./honest-thread.ts', import.meta.url), { workerData: options })
  started.defer(async () => void (await thread.terminate()))
  const perform = async (message: HonestMessage): Promise<HonestReport> => {
    const answered = once(thread, 'message') as Promise<[HonestReport]>
    thread.postMessage(message)
    const [report] = await answered
    if (report.fault !== undefined) throw new Error(`The honest callers: ${report.fault}`)
    return report
  }
  return {
    fill: async count => (await perform({ do: 'fill', count })).token ?? '',
    begin: async () => void (await perform({ do: 'begin' })),
    end: async () => {
      const { measured } = await perform({ do: 'end' })
      if (measured === undefined) throw new Error('The honest callers measured nothing.')
      return measured
    },
    countRevived: async () => (await perform({ do: 'check' })).revived ?? 0,
  }
}
