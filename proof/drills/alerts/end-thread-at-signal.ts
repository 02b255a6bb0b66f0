// Brought along by the drill of alerts (`--import`): ends one thread of the service at SIGWINCH, which nothing else uses. The service knows nothing of it.
import { isMainThread, type Worker } from 'node:worker_threads'

if (isMainThread) {
  const threads: Worker[] = []
  process.on('worker', thread => void threads.push(thread))
  process.on('SIGWINCH', () => void threads.find(({ threadName }) => threadName === 'mintmark serving')?.terminate())
}
