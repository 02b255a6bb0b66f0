// Callers who ask each replica all along, and remember when they got a good answer.
import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, openConnection } from '../connection.ts'
import { type Access, introspectRequest, isActiveIn, issueRequest, tokenIn } from '../requests.ts'

/** So often each is asked. */
const EACH_MS = 20
/** Longer than the service takes to give up. */
const ANSWER_MS_MAX = 8000
const GIVE_UP_MS = 120_000
/** A pause between good answers that is none. */
const STEADY_MS = 500

export type Probes = {
  /** Waits until all have had good answers for so long, one after another. */
  readonly untilAnswered: (ms: number) => Promise<void>
  /** The longest seconds between two good answers since then, at whichever replica, by what was asked. */
  readonly longestGaps: (since: number) => Readonly<Record<string, number>>
  readonly stop: () => Promise<void>
}

type Probe = {
  readonly asked: string
  readonly port: number
  readonly ask: (connection: Connection) => Promise<boolean>
  /** When good answers came, in ms of performance.now(). */
  readonly goodAt: number[]
}

const probeAll = (access: Access, ports: readonly number[], token: string, report: (what: string) => void) =>
  ports.flatMap((port): readonly Probe[] => [
    {
      asked: 'introspection',
      port,
      goodAt: [],
      ask: async connection => {
        const { status, body } = await connection.exchange(introspectRequest(access, token))
        if (status === 200 && !isActiveIn(body)) report('A live token was called inactive.')
        return status === 200
      },
    },
    {
      asked: 'issue',
      port,
      goodAt: [],
      ask: async connection => (await connection.exchange(issueRequest(access.agent))).status === 200,
    },
  ])

const run = async ({ port, ask, goodAt }: Probe, isStopped: () => boolean): Promise<void> => {
  let connection: Connection | undefined
  while (!isStopped()) {
    try {
      if (connection === undefined || connection.hasEnded()) connection = await openConnection(port, ANSWER_MS_MAX)
      if (await ask(connection)) goodAt.push(performance.now())
    } catch {
      connection?.close()
      connection = undefined
    }
    await delay(EACH_MS)
  }
  connection?.close()
}

const gapOf = ({ goodAt }: Probe, since: number): number => {
  const before = goodAt.findLast(at => at < since) ?? since
  const times = [before, ...goodAt.filter(at => at >= since), performance.now()]
  return Math.max(...times.slice(1).map((at, n) => at - (times[n] ?? at))) / 1000
}

export const startProbes = async (
  access: Access,
  ports: readonly number[],
  report: (violation: string) => void,
): Promise<Probes> => {
  const first = await openConnection(access.port)
  const token = tokenIn((await first.exchange(issueRequest(access.agent))).body)
  first.close()
  let isStopped = false
  const probes = probeAll(access, ports, token, report)
  const running = probes.map(probe => run(probe, () => isStopped))
  const isSteady = (ms: number): boolean =>
    probes.every(probe => gapOf(probe, performance.now() - ms) < STEADY_MS / 1000)
  return {
    untilAnswered: async ms => {
      const until = performance.now() + GIVE_UP_MS
      // What was answered before may have been before all of this.
      await delay(ms)
      while (!isSteady(ms)) {
        if (performance.now() > until) throw new Error('The replicas did not come back by themselves.')
        await delay(EACH_MS)
      }
    },
    longestGaps: since => {
      const kinds = [...new Set(probes.map(({ asked }) => asked))]
      return Object.fromEntries(
        kinds.map(kind => [
          kind,
          Math.max(...probes.filter(({ asked }) => asked === kind).map(probe => gapOf(probe, since))),
        ]),
      )
    },
    stop: async () => {
      isStopped = true
      await Promise.all(running)
    },
  }
}
