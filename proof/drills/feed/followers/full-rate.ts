// Issuing and introspection at full rate, each on connections of its own: a connection asks again as soon as it is answered.
import { processorSeconds } from '../../../../testkit/processes/process-costs.ts'
import { type Connection, openConnection } from '../../connection.ts'
import { type Access, introspectRequest, isActiveIn, issueRequest, tokenIn } from '../../requests.ts'

export type Rates = {
  readonly issue: number
  readonly introspect: number
  /** Microseconds of the service, all its threads, for each of these requests: also what it spent on anything else. */
  readonly cpu: number
  /** The share of one core that the service used. */
  readonly busy: number
}

export type FullRate = {
  readonly measure: (milliseconds: number) => Promise<Rates>
  /** Issues so many tokens, outside of any measured time. */
  readonly issue: (tokens: number) => Promise<readonly string[]>
  readonly stop: () => Promise<void>
}

type Served = { readonly access: Access; readonly pid: number }

const bodyOf = async (connection: Connection, request: string): Promise<string> => {
  const { status, body } = await connection.exchange(request)
  if (status !== 200) throw new Error(`A good request was answered ${status}: ${body.slice(0, 300)}`)
  return body
}

const openAll = (port: number, count: number): Promise<readonly Connection[]> =>
  Promise.all(Array.from({ length: count }, () => openConnection(port)))

/** Begins at once, on so many connections for each of the two. */
export const startFullRate = async (
  { access, pid }: Served,
  connections: number,
  started: AsyncDisposableStack,
): Promise<FullRate> => {
  const { port } = access
  const opened = await openAll(port, 2 * connections)
  started.defer(() => opened.forEach(connection => connection.close()))
  const issuing = issueRequest(access.agent)
  const [first] = opened
  if (first === undefined) throw new Error('At least one connection is needed.')
  const introspecting = introspectRequest(access, tokenIn(await bodyOf(first, issuing)))
  const counts = { issue: 0, introspect: 0 }
  const state = { isOver: false }

  const run = async (connection: Connection, kind: keyof typeof counts): Promise<void> => {
    while (!state.isOver) {
      const body = await bodyOf(connection, kind === 'issue' ? issuing : introspecting)
      if (kind === 'issue') tokenIn(body)
      else if (!isActiveIn(body)) throw new Error('A live token was said to be inactive.')
      counts[kind] += 1
    }
  }
  const running = Promise.all(opened.map((one, n) => run(one, n < connections ? 'issue' : 'introspect')))
  // Reported to the one who measures or stops it.
  running.catch(() => undefined)

  const look = () => ({ ...counts, spent: processorSeconds(pid), at: performance.now() })

  return {
    measure: async milliseconds => {
      const before = look()
      await Promise.race([running, new Promise(resolve => setTimeout(resolve, milliseconds))])
      const after = look()
      const seconds = (after.at - before.at) / 1000
      const [issue, introspect] = [after.issue - before.issue, after.introspect - before.introspect]
      const spent = after.spent - before.spent
      return {
        issue: issue / seconds,
        introspect: introspect / seconds,
        cpu: (1e6 * spent) / (issue + introspect),
        busy: spent / seconds,
      }
    },
    issue: async tokens => {
      const connection = await openAll(port, 16)
      const made: string[] = []
      const make = async (one: Connection): Promise<void> => {
        for (let left = Math.ceil(tokens / connection.length); left > 0; left -= 1) {
          made.push(tokenIn(await bodyOf(one, issuing)))
        }
        one.close()
      }
      await Promise.all(connection.map(make))
      return made
    },
    stop: async () => {
      state.isOver = true
      await running
    },
  }
}
