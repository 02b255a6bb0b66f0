// Brought along by the replicas drill (`--import`): the wall clock of this process, on all its threads, steps when the
// drill says so. The service knows nothing of it; monotonic time goes on as it does.
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

/** What the drill sends: how far from the true time the clock is from now on, in ms. */
export type StepClock = { readonly clockOffMs: number }

const TrueDate = globalThis.Date
let offMs = 0

const now = (): number => TrueDate.now() + offMs

globalThis.Date = new Proxy(TrueDate, {
  apply: () => new TrueDate(now()).toString(),
  construct: (date, given, made) => Reflect.construct(date, given.length === 0 ? [now()] : given, made) as Date,
  get: (date, name) => (name === 'now' ? now : (Reflect.get(date, name) as unknown)),
})

const threads = new BroadcastChannel('drill-clock')
const step = (message: unknown): void => {
  offMs = (message as StepClock).clockOffMs
}

threads.onmessage = event => step((event as MessageEvent).data)
threads.unref()

if (isMainThread) {
  process.on('message', message => {
    step(message)
    threads.postMessage(message)
  })
  // Listening alone must not keep the service alive.
  process.channel?.unref()
}
