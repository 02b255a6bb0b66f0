// The simulated followers, as the drill sees them: a process of their own, because their sockets are as many as the
// service's, and a process may open only so many files.
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { endChild } from '../../../../testkit/processes/end-child.ts'
import type { Asked, Counts, Reply, Settings } from './following-process.ts'

const PROGRAM = join(import.meta.dirname, 'following-process.ts')
const REPLY_MS_MAX = 120_000

export type Crowd = {
  readonly open: (settings: Settings) => Promise<Counts>
  readonly counts: () => Promise<Counts>
  readonly close: () => Promise<Counts>
}

type Question = Asked extends infer One ? (One extends Asked ? Omit<One, 'n'> : never) : never

/** Ends with the drill. */
export const startCrowd = (started: AsyncDisposableStack): Crowd => {
  const child = fork(PROGRAM, { execArgv: [] })
  started.defer(() => endChild(child, 'SIGKILL'))
  let asked = 0
  const ask = (question: Question): Promise<Counts> => {
    asked += 1
    const n = asked
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('The followers do not reply.')), REPLY_MS_MAX)
      const take = (reply: Reply): void => {
        if (reply.n !== n) return
        clearTimeout(timer)
        child.off('message', take)
        resolve(reply.counts)
      }
      child.on('message', take)
      child.send({ ...question, n })
    })
  }
  return {
    open: settings => ask({ kind: 'open', settings }),
    counts: () => ask({ kind: 'counts' }),
    close: () => ask({ kind: 'close' }),
  }
}
