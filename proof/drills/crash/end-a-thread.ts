// Brought along by the kill drill (`--import`): learns of every thread of the service and, when the drill asks, ends
// one in the middle of what it does. The service knows nothing of it.
import { syncBuiltinESMExports } from 'node:module'
import workerThreads, { isMainThread } from 'node:worker_threads'

/** What the drill sends: which of the threads, counted round. */
export type EndThread = { readonly endThread: number }

/** What it hears back; `threads` is 0 where there was none to end. */
export type ThreadEnded = { readonly threads: number }

const threads: workerThreads.Worker[] = []

class KnownWorker extends workerThreads.Worker {
  constructor(...given: ConstructorParameters<typeof workerThreads.Worker>) {
    super(...given)
    threads.push(this)
    this.once('exit', () => threads.splice(threads.indexOf(this), 1))
  }
}

const end = (message: unknown): void => {
  const { endThread } = message as EndThread
  const count = threads.length
  const thread = threads[endThread % Math.max(1, count)]
  if (thread !== undefined) void thread.terminate()
  process.send?.({ threads: count } satisfies ThreadEnded)
}

if (isMainThread) {
  workerThreads.Worker = KnownWorker
  syncBuiltinESMExports()
  process.on('message', end)
  // Listening alone must not keep the service alive.
  process.channel?.unref()
}
