// Clients of the rolling drill: each issues a token, introspects it, revokes it and introspects it again, over and over.
import { type Answer, type Connection, openConnection } from '../connection.ts'
import { type Access, introspectRequest, isActiveIn, issueRequest, revokeRequest, tokenIn } from '../requests.ts'

export type Callers = {
  /** Requests answered so far. */
  readonly answers: () => number
  readonly stop: () => Promise<void>
}

type World = {
  readonly access: Access
  readonly report: (violation: string) => void
  answers: number
  stopped: boolean
}

type Ask = (request: string) => Promise<Answer>

/** Nothing but the right answer is right: a caller knows of no restart. */
const askAs =
  (world: World, ask: Ask) =>
  async (what: string, request: string): Promise<string | undefined> => {
    try {
      const { status, body } = await ask(request)
      world.answers += 1
      if (status === 200) return body
      world.report(`${what} was answered with ${status}: ${body}`)
    } catch (fault) {
      world.report(`${what} was not answered: ${String(fault)}`)
    }
    return undefined
  }

const liveOneToken = async (world: World, ask: Ask): Promise<void> => {
  const { access, report } = world
  const asked = askAs(world, ask)
  const issued = await asked('An issue', issueRequest(access.agent))
  if (issued === undefined) return
  const token = tokenIn(issued)
  const before = await asked('An introspection', introspectRequest(access, token))
  if (before !== undefined && !isActiveIn(before)) report('P5: a token was inactive right after its issue.')
  const revoked = await asked('A revocation', revokeRequest(access, token, 'manual_revocation'))
  const after = await asked('An introspection', introspectRequest(access, token))
  if (revoked !== undefined && after !== undefined && isActiveIn(after)) report('P1: a token was active after its end.')
}

const runCaller = async (world: World, keepsConnection: boolean): Promise<void> => {
  let connection: Connection | undefined
  const ask: Ask = async request => {
    connection ??= await openConnection(world.access.port)
    try {
      return await connection.exchange(request)
    } catch (fault) {
      connection.close()
      connection = undefined
      throw fault
    }
  }
  while (!world.stopped) {
    await liveOneToken(world, ask)
    if (keepsConnection) continue
    connection?.close()
    connection = undefined
  }
  connection?.close()
}

/** Every second one makes a connection for each token, the others keep theirs. */
export const startCallers = (access: Access, count: number, report: (violation: string) => void): Callers => {
  const world: World = { access, report, answers: 0, stopped: false }
  const running = Promise.all(Array.from({ length: count }, (_, n) => runCaller(world, n % 2 === 0)))
  return {
    answers: () => world.answers,
    stop: async () => {
      world.stopped = true
      await running
    },
  }
}
