// The load under which a service is killed: lanes of requests, each on a connection of its own, until it is told to end
// or the service is gone. What comes back is noted as it comes.
import { type Connection, ConnectionLost, openConnection } from './connection.ts'
import { addToken, type KnownToken, type KnownTokens, mustBeInactive, noteIntrospection } from './known-tokens.ts'
import { makeRandom, type Random } from './random.ts'
import {
  type Access,
  claimsOf,
  introspectRequest,
  isActiveIn,
  issueRequest,
  revokeRequest,
  tokenIn,
} from './requests.ts'

const ISSUE_SHARE = 0.35
const REVOKE_SHARE = 0.25
/** Of the introspections, so many ask for a token whose revocation is under way. */
const WATCH_SHARE = 0.7
/** Of the revocations, so many repeat one, also of a load before: the first reason and time must stay. */
const REPEAT_SHARE = 0.15
const OLD_MAX = 50

type Load = {
  /** Lets every lane finish its request, and waits for that. Errors under way are no violations. */
  readonly stop: () => Promise<void>
}

type Pool = {
  readonly access: Access
  readonly known: KnownTokens
  /** Tokens of this load that nobody has asked to revoke, and those that somebody has. */
  readonly live: KnownToken[]
  readonly ending: KnownToken[]
  stopped: boolean
}

type Lane = { readonly connection: Connection; readonly random: Random; readonly pool: Pool }

/** The body of a 200; undefined for 503, after which the outcome is unknown. */
const ask = async ({ connection }: Lane, request: string): Promise<string | undefined> => {
  const { status, body } = await connection.exchange(request)
  if (status === 200) return body
  if (status < 500) throw new Error(`A good request was refused with ${status}: ${body}`)
  return undefined
}

const issue = async (lane: Lane): Promise<void> => {
  const { access, known, live } = lane.pool
  const reason = lane.random.chance(0.5) ? 'manual_revocation' : 'self_revocation'
  known.issuesUnanswered += 1
  const body = await ask(lane, issueRequest(access.agent))
  if (body === undefined) return
  known.issuesUnanswered -= 1
  const text = tokenIn(body)
  live.push(addToken(known, { jti: claimsOf(text).jti, text, reason }))
}

const takeFrom = (tokens: KnownToken[], random: Random): KnownToken | undefined => {
  const [taken] = tokens.length === 0 ? [] : tokens.splice(random.below(tokens.length), 1)
  return taken
}

const revoke = async (lane: Lane): Promise<void> => {
  const { access, known, live, ending } = lane.pool
  const repeated = ending.length > 0 && lane.random.chance(REPEAT_SHARE) ? lane.random.pick(ending) : undefined
  const token = repeated ?? takeFrom(live, lane.random)
  if (token === undefined) return issue(lane)
  if (repeated === undefined) ending.push(token)
  token.revokeSent = true
  const body = await ask(lane, revokeRequest(access, token.text, token.reason))
  if (body === undefined) return
  token.revoked = true
  known.revocations += 1
}

const RECENT = 6

const introspect = async (lane: Lane): Promise<void> => {
  const { access, known, live, ending } = lane.pool
  const watched = lane.random.chance(WATCH_SHARE) ? ending.slice(-RECENT) : live
  if (watched.length === 0) return issue(lane)
  const token = lane.random.pick(watched)
  const wasInactive = mustBeInactive(token)
  const body = await ask(lane, introspectRequest(access, token.text))
  if (body !== undefined) noteIntrospection(known, token, { active: isActiveIn(body), wasInactive })
}

const step = (lane: Lane): Promise<void> => {
  if (lane.random.chance(ISSUE_SHARE)) return issue(lane)
  return lane.random.chance(REVOKE_SHARE / (1 - ISSUE_SHARE)) ? revoke(lane) : introspect(lane)
}

const runLane = async (pool: Pool, random: Random): Promise<void> => {
  let connection: Connection | undefined
  try {
    connection = await openConnection(pool.access.port)
    while (!pool.stopped) await step({ connection, random, pool })
  } catch (fault) {
    // The service was killed under the request. Anything else, a refusal or nonsense for an answer, is a finding.
    if (!(fault instanceof ConnectionLost)) pool.known.violations.push(String(fault))
  } finally {
    connection?.close()
  }
}

/** Starts `lanes` lanes; each lane's choices follow from the seed. */
export const startLoad = (
  access: Access,
  known: KnownTokens,
  { lanes, seed }: { readonly lanes: number; readonly seed: number },
): Load => {
  const ended = [...known.all.values()].filter(mustBeInactive).slice(-OLD_MAX)
  const pool: Pool = { access, known, live: [], ending: ended, stopped: false }
  const running = Array.from({ length: lanes }, (_, n) => runLane(pool, makeRandom(seed + n)))
  return {
    stop: async () => {
      pool.stopped = true
      await Promise.all(running)
    },
  }
}
