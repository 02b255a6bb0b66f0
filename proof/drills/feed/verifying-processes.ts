// The processes of verifiers, as the drill sees them: all are asked at once.
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { endChild } from '../../../testkit/processes/end-child.ts'
import type { Asked, Counts, Reply, Settings } from './verifying-process.ts'
import type { Sighting } from './watched-token.ts'

const PROGRAM = join(import.meta.dirname, 'verifying-process.ts')
const REPLY_MS_MAX = 60_000

type Question = Asked extends infer One ? (One extends Asked ? Omit<One, 'n'> : never) : never

const makeAsk = (child: ChildProcess) => {
  const waiting = new Map<number, (reply: Reply) => void>()
  let asked = 0
  child.on('message', (reply: Reply) => {
    waiting.get(reply.n)?.(reply)
    waiting.delete(reply.n)
  })
  return async (question: Question): Promise<Reply> => {
    asked += 1
    const n = asked
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    waiting.set(n, resolve)
    const timer = setTimeout(() => reject(new Error('A process of verifiers does not reply.')), REPLY_MS_MAX)
    child.send({ ...question, n })
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }
}

export type VerifyingProcesses = {
  readonly watch: (id: number, token: string) => Promise<void>
  /** Returns the sightings of every verifier, and forgets the token. */
  readonly report: (id: number) => Promise<readonly Sighting[]>
  /** Steps the clock of each process, as when that of their machine is set. */
  readonly stepClock: (ms: number) => Promise<void>
  readonly counts: () => Promise<Counts & Pick<Reply, 'fresh' | 'polling'>>
}

const sum = (replies: readonly Reply[], name: keyof Counts): number =>
  replies.reduce((total, { counts }) => total + counts[name], 0)

/** One process for each of the settings. They end with the drill. */
export const startVerifyingProcesses = async (
  settings: readonly Settings[],
  started: AsyncDisposableStack,
): Promise<VerifyingProcesses> => {
  const asks = settings.map(() => {
    const child = fork(PROGRAM, { execArgv: [], serialization: 'json' })
    started.defer(() => endChild(child, 'SIGKILL'))
    return makeAsk(child)
  })
  const askAll = (question: Question): Promise<readonly Reply[]> => Promise.all(asks.map(ask => ask(question)))
  await Promise.all(asks.map((ask, index) => ask({ kind: 'start', settings: settings[index] as Settings })))
  return {
    watch: async (id, token) => void (await askAll({ kind: 'watch', id, token })),
    report: async id => (await askAll({ kind: 'report', id })).flatMap(({ sightings }) => sightings),
    stepClock: async ms => void (await askAll({ kind: 'step', ms })),
    counts: async () => {
      const replies = await askAll({ kind: 'counts' })
      return {
        verifications: sum(replies, 'verifications'),
        accepted: sum(replies, 'accepted'),
        ended: sum(replies, 'ended'),
        unknown: sum(replies, 'unknown'),
        problems: sum(replies, 'problems'),
        fresh: replies.reduce((total, { fresh }) => total + fresh, 0),
        polling: replies.reduce((total, { polling }) => total + polling, 0),
      }
    },
  }
}
