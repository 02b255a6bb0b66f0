// A client of the linearizability and replicas drills: a thread with connections of its own, each doing one operation
// after another on tokens that it shares with all the others.
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type Connection, ConnectionLost, openConnection } from '../connection.ts'
import { makeRandom, type Random } from '../random.ts'
import { type ClientCounts, type ClientOptions, type ClientReport, HOT_PLACES, PROGRESS } from './client-report.ts'
import {
  claimsOf,
  type EndingRequest,
  introspectRequest,
  isActiveIn,
  issueRequest,
  revokeRequest,
  scopeIn,
  tokenIn,
} from '../requests.ts'
import { type SharedToken, type TokenOutcome, openTokenTable } from './token-table.ts'

const REVOKE_SHARE = 0.12
/** So many operations are on the token whose revocation was sent last: around it a stale answer shows. */
const HOT_SHARE = 0.3
const SHORT_LIVED_SHARE = 0.03
/** Of the looks at a token that has ended, so many free its place. */
const RETIRE_SHARE = 0.15
/** Of the operations, so many look at a token that ended a while ago: a fail-over may have brought it back. */
const LOOK_BACK_SHARE = 0.03
const CACHED_MAX = 2000
/** Of the revocations whose outcome is not known, so many are asked for again at once. */
const REPEAT_SHARE = 0.6
const RECONNECT_MS = 20
/** A process that refuses at once must not use up the operations. */
const AFTER_ERROR_MS = 100
const UNREACHABLE_MS_MAX = 180_000
const ENDINGS: readonly EndingRequest[] = ['manual_revocation', 'self_revocation']
// `exp` is told in whole seconds, so that a token may live up to a second less than its lifetime; and a margin.
const EXPIRY_MARGIN_NS = 1_250_000_000n

const options = workerData as ClientOptions
const { access, ports } = options
const table = openTokenTable(options.table)
const progress = new Int32Array(options.progress)
const violations: string[] = []
const outcomes: TokenOutcome[] = []
/** Texts of tokens that ended, in a ring. */
const cached: string[] = []
const counts: ClientCounts = { issues: 0, introspections: 0, revocations: 0, errors: 0, issuesUnanswered: 0 }
const now = (): bigint => process.hrtime.bigint()

const report = (found: string): void => {
  violations.push(found)
  Atomics.add(progress, PROGRESS.violations, 1)
}

type Caller = { readonly port: number; readonly connections: Map<number, Connection>; readonly random: Random }

/** An answer with the times around it; undefined for an error, whose outcome is unknown. */
type Timed = { readonly sentAt: bigint; readonly receivedAt: bigint; readonly body: string }

/** Waits for whoever listens on the port to listen again. */
const connectionOf = async ({ connections }: Caller, port: number): Promise<Connection> => {
  const until = performance.now() + UNREACHABLE_MS_MAX
  for (;;) {
    const open = connections.get(port)
    if (open !== undefined) return open
    try {
      connections.set(port, await openConnection(port, options.answerMsMax))
    } catch (fault) {
      if (!(fault instanceof ConnectionLost) || performance.now() > until) throw fault
      await delay(RECONNECT_MS)
    }
  }
}

const exchange = async (caller: Caller, request: string, port = caller.port): Promise<Timed | undefined> => {
  const connection = await connectionOf(caller, port)
  const sentAt = now()
  try {
    const { status, body } = await connection.exchange(request)
    const receivedAt = now()
    if (status === 200) return { sentAt, receivedAt, body }
    if (status < 500) throw new Error(`A good request was refused with ${status}: ${body}`)
  } catch (fault) {
    if (!(fault instanceof ConnectionLost)) throw fault
    connection.close()
    caller.connections.delete(port)
  }
  counts.errors += 1
  await delay(AFTER_ERROR_MS)
  return undefined
}

const issue = async (caller: Caller, place: number): Promise<void> => {
  const shortLived = caller.random.chance(SHORT_LIVED_SHARE)
  const scope = `db:s${caller.random.below(options.scopes)}`
  const answer = await exchange(caller, issueRequest(shortLived ? access.shortLivedAgent : access.agent, scope))
  counts.issues += 1
  if (answer === undefined) {
    counts.issuesUnanswered += 1
    return table.fill(place, undefined)
  }
  const text = tokenIn(answer.body)
  const { exp, iat } = claimsOf(text)
  // By the lifetime, not by `exp`: the clock of the store may run ahead of the wall clock, never behind it.
  const surelyAliveUntil = answer.sentAt + BigInt(exp - iat) * 1_000_000_000n - EXPIRY_MARGIN_NS
  table.fill(place, { text, shortLived, surelyAliveUntil, expiresAtMs: 1000 * exp })
}

const cache = (text: string): void => {
  if (cached.length < CACHED_MAX) cached.push(text)
  else cached[counts.introspections % CACHED_MAX] = text
}

type LookedUp = SharedToken & { readonly place: number }

const noteActive = (token: LookedUp, { sentAt, body }: Timed, expired: boolean): void => {
  const { jti, scope } = claimsOf(token.text)
  table.noteActive(token.place, sentAt)
  if (expired) report(`P2: token ${jti} is active to a request sent after its exp`)
  if (scopeIn(body) !== scope) report(`P5: token ${jti} has the scope ${scope}, and is told to have ${scopeIn(body)}`)
}

const introspect = async (caller: Caller, token: LookedUp, port = caller.port): Promise<void> => {
  const { place, text } = token
  const expired = Date.now() >= token.expiresAtMs
  const answer = await exchange(caller, introspectRequest(access, text), port)
  counts.introspections += 1
  if (answer === undefined) return
  if (isActiveIn(answer.body)) return noteActive(token, answer, expired)
  table.noteInactive(place, answer.receivedAt)
  if (!caller.random.chance(RETIRE_SHARE)) return
  cache(text)
  table.retire(place)
}

const lookBack = async (caller: Caller): Promise<void> => {
  const text = cached[caller.random.below(cached.length)]
  if (text === undefined) return
  const answer = await exchange(caller, introspectRequest(access, text))
  counts.introspections += 1
  if (answer === undefined || !isActiveIn(answer.body)) return
  report(`P2: token ${claimsOf(text).jti} is active, though an answer had said inactive some time before`)
}

const revoke = async (caller: Caller, token: LookedUp): Promise<void> => {
  const { place } = token
  const request = revokeRequest(access, token.text, caller.random.pick(ENDINGS))
  table.noteRevokeSent(place, now())
  Atomics.store(progress, PROGRESS.hot + caller.random.below(HOT_PLACES), place)
  let answer = await exchange(caller, request)
  counts.revocations += 1
  while (answer === undefined && caller.random.chance(REPEAT_SHARE) && takeTurn()) {
    answer = await exchange(caller, request)
    counts.revocations += 1
  }
  if (answer !== undefined) table.noteRevoked(place, answer.receivedAt)
  // Whoever has just revoked looks at once, and anywhere: no moment is more likely to show a stale answer.
  if (caller.random.chance(0.5) && takeTurn()) await introspect(caller, token, caller.random.pick(ports))
}

const takeTurn = (): boolean => Atomics.sub(progress, PROGRESS.left, 1) > 0

type Done = 'an operation' | 'nothing'

const renew = async (caller: Caller, place: number): Promise<Done> => {
  if (!table.take(place)) return 'nothing'
  table.judge(place).forEach(report)
  const outcome = options.outcomes === 'all' ? table.outcome(place) : undefined
  if (outcome !== undefined) outcomes.push(outcome)
  if (takeTurn()) await issue(caller, place)
  else table.fill(place, undefined)
  return 'an operation'
}

const act = async (caller: Caller, place: number): Promise<Done> => {
  const used = table.use(place)
  if (used === undefined) return renew(caller, place)
  const token = { ...used, place }
  try {
    if (!takeTurn()) return 'nothing'
    if (!token.shortLived && caller.random.chance(REVOKE_SHARE)) await revoke(caller, token)
    else await introspect(caller, token)
    return 'an operation'
  } finally {
    table.release(place)
  }
}

// Half of all choices fall on a fifth of the places, so that many meet there, while tokens come and go in the others.
const pickPlace = ({ below }: Random): number => below(below(table.places) + 1)

const step = async (caller: Caller): Promise<void> => {
  const { random } = caller
  if (cached.length > 0 && random.chance(LOOK_BACK_SHARE) && takeTurn()) return lookBack(caller)
  const hot = Atomics.load(progress, PROGRESS.hot + random.below(HOT_PLACES))
  const done = await act(caller, random.chance(HOT_SHARE) ? hot : pickPlace(random))
  // Somebody else has taken the place, perhaps on this thread: its answer must be let in.
  if (done === 'nothing') await nextTurn()
}

const run = async (n: number): Promise<void> => {
  const port = ports[n % ports.length] ?? access.port
  const caller: Caller = { port, connections: new Map(), random: makeRandom(options.seed + n) }
  while (Atomics.load(progress, PROGRESS.left) > 0) await step(caller)
  for (const connection of caller.connections.values()) connection.close()
}

await Promise.all(Array.from({ length: options.connections }, (_, n) => run(n)))
parentPort?.postMessage({ violations, counts, outcomes } satisfies ClientReport)
