// The load under which a service is killed: callers of requests, each on a connection of its own, until it is asked to end
// or the service is gone. What comes back is noted as it comes.
import { type Connection, ConnectionLost, openConnection } from '../connection.ts'
import { addToken, type KnownToken, type KnownTokens, mustBeInactive, noteIntrospection } from './known-tokens.ts'
import { makeRandom, type Random } from '../random.ts'
import {
  type Access,
  claimsOf,
  introspectRequest,
  isActiveIn,
  issueRequest,
  revokeRequest,
  tokenIn,
} from '../requests.ts'

const ISSUE_SHARE = 0.35
const REVOKE_SHARE = 0.25
/** The share of introspections that ask for a token whose revocation is under way. */
const WATCH_SHARE = 0.7
/** The share of revocations that repeat one, also of an earlier load: the first reason and time must stay. */
const REPEAT_SHARE = 0.15
const OLD_MAX = 50

type Load = {
  /** Lets every caller finish its request, and waits for that. Errors under way are no violations. */
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

type Caller = { readonly connection: Connection; readonly random: Random; readonly pool: Pool }

/** The body of a 200; undefined for 503, after which the outcome is unknown. */
const ask = async ({ connection }: Caller, request: string): Promise<string | undefined> => {
  const { status, body } = await connection.exchange(request)
  if (status === 200) return body
  if (status < 500) throw new Error(`A good request was refused with ${status}: ${body}`)
  return undefined
}

const issue = async (caller: Caller): Promise<void> => {
  const { access, known, live } = caller.pool
  const reason = caller.random.chance(0.5) ? 'manual_revocation' : 'self_revocation'
  known.issuesUnanswered += 1
  const body = await ask(caller, issueRequest(access.agent))
  if (body === undefined) return
  known.issuesUnanswered -= 1
  const text = tokenIn(body)
  live.push(addToken(known, { jti: claimsOf(text).jti, text, reason }))
}

const takeFrom = (tokens: KnownToken[], random: Random): KnownToken | undefined => {
  const [taken] = tokens.length === 0 ? [] : tokens.splice(random.below(tokens.length), 1)
  return taken
}

const revoke = async (caller: Caller): Promise<void> => {
  const { access, known, live, ending } = caller.pool
  const repeated = ending.length > 0 && caller.random.chance(REPEAT_SHARE) ? caller.random.pick(ending) : undefined
  const token = repeated ?? takeFrom(live, caller.random)
  if (token === undefined) return issue(caller)
  if (repeated === undefined) ending.push(token)
  token.revokeSent = true
  const body = await ask(caller, revokeRequest(access, token.text, token.reason))
  if (body === undefined) return
  token.revoked = true
  known.revocations += 1
}

const RECENT = 6

const introspect = async (caller: Caller): Promise<void> => {
  const { access, known, live, ending } = caller.pool
  const watched = caller.random.chance(WATCH_SHARE) ? ending.slice(-RECENT) : live
  if (watched.length === 0) return issue(caller)
  const token = caller.random.pick(watched)
  const wasInactive = mustBeInactive(token)
  const body = await ask(caller, introspectRequest(access, token.text))
  if (body !== undefined) noteIntrospection(known, token, { active: isActiveIn(body), wasInactive })
}

const step = (caller: Caller): Promise<void> => {
  if (caller.random.chance(ISSUE_SHARE)) return issue(caller)
  return caller.random.chance(REVOKE_SHARE / (1 - ISSUE_SHARE)) ? revoke(caller) : introspect(caller)
}

const runCaller = async (pool: Pool, random: Random): Promise<void> => {
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

/** Starts `callers` callers; each caller's choices follow from the seed. */
export const startLoad = (
  access: Access,
  known: KnownTokens,
  { callers, seed }: { readonly callers: number; readonly seed: number },
): Load => {
  const ended = [...known.all.values()].filter(mustBeInactive).slice(-OLD_MAX)
  const pool: Pool = { access, known, live: [], ending: ended, stopped: false }
  const running = Array.from({ length: callers }, (_, n) => runCaller(pool, makeRandom(seed + n)))
  return {
    stop: async () => {
      pool.stopped = true
      await Promise.all(running)
    },
  }
}
