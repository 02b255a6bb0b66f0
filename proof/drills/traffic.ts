// The service's other traffic during a drill: callers that issue a token and introspect it, over and over, and are counted.
import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, openConnection } from './connection.ts'
import { type Access, introspectRequest, isActiveIn, issueRequest, tokenIn } from './requests.ts'

const INTROSPECTIONS_EACH = 4

type Traffic = {
  /** Requests answered in the next so many seconds, or until `until` is settled, a second. */
  readonly rate: (seconds: number, until?: Promise<unknown>) => Promise<number>
  readonly stop: () => Promise<void>
}

type Count = { answers: number; stopped: boolean }

const ask = async (connection: Connection, request: string): Promise<string> => {
  const { status, body } = await connection.exchange(request)
  if (status !== 200) throw new Error(`The traffic was answered with ${status}: ${body}`)
  return body
}

const runCaller = async (access: Access, count: Count): Promise<void> => {
  const connection = await openConnection(access.port)
  while (!count.stopped) {
    const token = tokenIn(await ask(connection, issueRequest(access.shortLivedAgent)))
    count.answers += 1
    for (let n = 0; n < INTROSPECTIONS_EACH && !count.stopped; n += 1) {
      if (!isActiveIn(await ask(connection, introspectRequest(access, token)))) break
      count.answers += 1
    }
  }
  connection.close()
}

/** A caller that fails fails the next measurement, or the stop. */
export const startTraffic = (access: Access, callers: number): Traffic => {
  const count: Count = { answers: 0, stopped: false }
  const running = Promise.all(Array.from({ length: callers }, () => runCaller(access, count)))
  // Reported to the caller that measures or stops.
  running.catch(() => undefined)
  return {
    rate: async (seconds, until = new Promise(() => undefined)) => {
      const [answers, began] = [count.answers, performance.now()]
      await Promise.race([delay(1000 * seconds), until, running])
      return (1000 * (count.answers - answers)) / (performance.now() - began)
    },
    stop: async () => {
      count.stopped = true
      await running
    },
  }
}
