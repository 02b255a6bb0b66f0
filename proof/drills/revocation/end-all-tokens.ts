// Ends all tokens of one agent of a real service at once, kills it while their records follow, and checks that nothing
// lives on, is lost or moves twice. The drill measures it with a million tokens; a test runs it with a few.
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '../../../server/src/store/sqlite/connection/database.ts'
import { fillStore } from '../../../testkit/stores/fill-store.ts'
import { REASONS } from '../../../api/values/reason.ts'
import { openConnection } from '../connection.ts'
import { type Access, endAllRequest, introspectRequest, isActiveIn, readRequest } from '../requests.ts'
import { type Running, type ServiceUnderDrill, untilReady } from '../service-under-drill.ts'

const POLL_MS = 10
const FOLLOW_MS_MAX = 3_600_000

/** A revocation as far as a drill looks at it. */
type Followed = { readonly state: 'open' | 'closed'; readonly tokens_moved: number }

/** Sends requests one after another on a connection of their own; every answer must be 200 or 201. */
export const askEach = async (port: number, requests: readonly string[]): Promise<readonly string[]> => {
  const connection = await openConnection(port)
  const bodies: string[] = []
  try {
    for (const request of requests) {
      const { status, body } = await connection.exchange(request)
      if (status !== 200 && status !== 201) throw new Error(`A good request was answered with ${status}: ${body}`)
      bodies.push(body)
    }
    return bodies
  } finally {
    connection.close()
  }
}

const databaseOf = ({ dataFolder }: ServiceUnderDrill): string => join(dataFolder, 'mintmark.db')

/** Fills the store of a service that does not run yet with live tokens of its agent; the texts of some. */
export const fillAgent = (service: ServiceUnderDrill, tokens: number, samples: number): readonly string[] => {
  const { agent, port } = service.access
  const owner = { agent_id: agent.clientId, client_id: agent.clientId }
  const store = { databaseFile: databaseOf(service), baseUrl: `http://127.0.0.1:${port}`, agent: owner }
  return fillStore(store, { live: tokens, ended: 0, samples, ofOneAgent: true }).tokens
}

export const endAllTokens = (access: Access, id: string): Promise<readonly string[]> =>
  askEach(access.port, [endAllRequest(access, id)])

export const follow = async (access: Access, id: string): Promise<Followed> => {
  const [body = ''] = await askEach(access.port, [readRequest(access, `/api/v1/revocations/${id}`)])
  return JSON.parse(body) as Followed
}

/** How many of the tokens an introspection calls active. */
export const countActive = async (access: Access, tokens: readonly string[]): Promise<number> => {
  const requests = tokens.map(token => introspectRequest(access, token))
  return (await askEach(access.port, requests)).filter(isActiveIn).length
}

/** Waits until the records of all tokens have followed. */
export const untilClosed = async (access: Access, id: string): Promise<Followed> => {
  const until = Date.now() + FOLLOW_MS_MAX
  for (;;) {
    const followed = await follow(access, id)
    if (followed.state === 'closed') return followed
    if (Date.now() > until) throw new Error(`After an hour ${followed.tokens_moved} tokens have followed.`)
    await delay(POLL_MS)
  }
}

/** Waits until more records have followed than the given number, or all; what was answered then is durable. */
export const untilMoved = async (access: Access, id: string, above: number): Promise<Followed> => {
  for (;;) {
    const followed = await follow(access, id)
    if (followed.state === 'closed' || followed.tokens_moved > above) return followed
    await delay(POLL_MS)
  }
}

/** Kills the service and starts it again. */
export const restart = async (service: ServiceUnderDrill, running: Running): Promise<Running> => {
  await running.kill()
  const again = await service.start()
  if (again === undefined) throw new Error('The service was killed by somebody else.')
  await untilReady(service.access.port)
  return again
}

type Records = { readonly live: number; readonly byRevocation: number; readonly byHand: number }

/** What the store holds of the agent's tokens, once nothing has it open. */
export const countRecords = (service: ServiceUnderDrill, id: string): Records => {
  const db = openDatabase(databaseOf(service), { readOnly: true })
  try {
    const count = (sql: string, ...values: readonly unknown[]): number =>
      db.prepare<{ count: number }>(`select count(*) as count ${sql}`).get(...values)?.count ?? 0
    const owner = '(select n from agent where client_id = ?)'
    const { clientId } = service.access.agent
    const ended = `from ended e join act a on a.n = e.act where e.agent = ${owner}`
    return {
      live: count(`from token where agent = ${owner}`, clientId),
      byRevocation: count(`${ended} and a.revocation_id = ? and e.reason = ${REASONS.bulk_revocation}`, clientId, id),
      byHand: count(`${ended} and e.reason = ${REASONS.manual_revocation}`, clientId),
    }
  } finally {
    db.close()
  }
}
