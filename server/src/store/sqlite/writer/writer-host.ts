// Keeps the one writing thread of a process running, and connects the threads that serve to it.
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Seal } from '../../../domain/audit/seal.ts'
import type { OnFault } from '../../background.ts'
import type { Timing } from '../../../ports/timing.ts'
import { StoreProblem } from '../../store-problem.ts'
import type { MakeWriter, WriterThread } from './make-writer-thread.ts'
import type { ReportedFault, WriterControl, WriterOptions, WriterReport } from './writer-messages.ts'

export type WriterHost = {
  /**
   * Hands over a port to the writing thread, now and whenever one that ended has been replaced, until the function that
   * it returns is called.
   */
  readonly attach: (take: (port: MessagePort) => void) => () => void
  /** Commits what has been handed over and ends the thread. */
  readonly close: () => Promise<void>
}

/** Called for what the thread does by itself. */
type WriterListeners = {
  readonly onFault: OnFault
  readonly onSeal?: ((seal: Seal) => void) | undefined
  readonly onKeyWanted?: (() => void) | undefined
}

type HostOptions = WriterOptions & {
  readonly make: MakeWriter
  readonly timing: Pick<Timing, 'writerRestartMs'>
}

const faultOf = ({ message, stack }: ReportedFault): Error => Object.assign(new Error(message), { stack })

const startThread = (
  { make, ...options }: HostOptions,
  { onFault, onSeal, onKeyWanted }: WriterListeners,
): Promise<WriterThread> =>
  new Promise((resolve, reject) => {
    const thread = make(options)
    thread.on('message', (report: WriterReport) => {
      if (report === 'ready') resolve(thread)
      else if (report === 'key wanted') onKeyWanted?.()
      else if ('failed' in report) onFault(report.failed, faultOf(report.fault))
      else onSeal?.(report.sealed)
    })
    thread.once('error', fault => reject(fault instanceof Error ? new StoreProblem(fault.message) : fault))
    thread.once('exit', () => reject(new StoreProblem('The writing thread ended as it started.')))
  })

/** Starts the writing thread. One that ends by itself is replaced; until then its clients are refused. */
export const startWriter = async (options: HostOptions, listeners: WriterListeners): Promise<WriterHost> => {
  const takers = new Set<(port: MessagePort) => void>()
  let thread: WriterThread | undefined
  let starting: Promise<void> | undefined
  let closing = false

  const report = (message: WriterControl, transfer: readonly MessagePort[] = []): void =>
    thread?.postMessage(message, [...transfer])

  const handOver = (take: (port: MessagePort) => void): void => {
    const { port1, port2 } = new MessageChannel()
    report({ attach: port1 }, [port1])
    take(port2)
  }

  const adopt = async (promised: Promise<WriterThread>): Promise<void> => {
    const started = await promised
    let why: unknown = new Error('The writing thread ended without an error.')
    started.on('error', fault => {
      why = fault
    })
    started.once('exit', () => {
      thread = undefined
      if (!closing) listeners.onFault('writing thread', why)
      restart()
    })
    started.unref()
    thread = started
    takers.forEach(handOver)
  }

  const restart = (): void => {
    if (closing) return
    starting = adopt(startThread(options, listeners)).catch((fault: unknown) => {
      listeners.onFault('writing thread', fault)
      setTimeout(restart, options.timing.writerRestartMs).unref()
    })
  }

  await adopt(startThread(options, listeners))
  return {
    attach: take => {
      takers.add(take)
      if (thread !== undefined) handOver(take)
      return () => takers.delete(take)
    },
    close: async () => {
      closing = true
      await starting
      const ended = thread === undefined ? undefined : new Promise(resolve => thread?.once('exit', resolve))
      thread?.ref()
      report({ close: true })
      await ended
    },
  }
}
