// A client of the linearizability and replicas drills: a thread with connections of its own, each doing one operation
// after another on tokens that it shares with all the others.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type Asker, makeAsk, type Timed } from './ask.ts'
import { makeRandom, type Random } from '../random.ts'
import { type ClientCounts, type ClientOptions, type ClientReport, HOT_PLACES, PROGRESS } from './client-report.ts'
import {
  claimsOf,
  exchangeRequest,
  type EndingRequest,
  introspectRequest,
  isActiveIn,
  issueRequest,
  revokeRequest,
  scopeIn,
  tokenIn,
} from '../requests.ts'
import { type Descendant, canOnlyEndWithRoot, makeDescendants, mayHaveChildren, revokedSince } from './descendants.ts'
import {
  BURST_EXCHANGES,
  BURST_SHARE,
  EXAMINED_AFTER,
  EARLIER_MAX,
  DESCENDANT_EXCHANGED_SHARE,
  DESCENDANT_REVOKED_SHARE,
  DESCENDANT_SHARE,
  EXCHANGE_SHARE,
  HOT_SHARE,
  OLD_SHARE,
  REPEAT_SHARE,
  RETIRE_SHARE,
  REVOKE_SHARE,
  SHORT_LIVED_SHARE,
} from './shares.ts'
import { type SharedToken, type TokenOutcome, openTokenTable } from './token-table.ts'

const ENDINGS: readonly EndingRequest[] = ['manual_revocation', 'self_revocation']
// `exp` has whole seconds, so that a token may live up to a second less than its lifetime; and a margin.
const EXPIRY_MARGIN_NS = 1_250_000_000n

const options = workerData as ClientOptions
const { access, ports } = options
const table = openTokenTable(options.table)
const progress = new Int32Array(options.progress)
const violations: string[] = []
const outcomes: TokenOutcome[] = []
/** Texts of tokens that ended, in a ring. */
const earlier: string[] = []
const counts: ClientCounts = {
  issues: 0,
  introspections: 0,
  revocations: 0,
  exchanges: 0,
  errors: 0,
  issuesUnanswered: 0,
}
const now = (): bigint => process.hrtime.bigint()

const report = (found: string): void => {
  violations.push(found)
  Atomics.add(progress, PROGRESS.violations, 1)
}

type Caller = Asker & {
  readonly random: Random
  readonly descendants: ReturnType<typeof makeDescendants>
}

const ask = makeAsk(options.answerMsMax, () => {
  counts.errors += 1
})

const issue = async (caller: Caller, place: number): Promise<void> => {
  const shortLived = caller.random.chance(SHORT_LIVED_SHARE)
  const scope = `db:s${caller.random.below(options.scopes)}`
  const answer = await ask(caller, issueRequest(shortLived ? access.shortLivedAgent : access.agent, scope))
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
  if (earlier.length < EARLIER_MAX) earlier.push(text)
  else earlier[counts.introspections % EARLIER_MAX] = text
}

type LookedUp = SharedToken & { readonly place: number }

const noteActive = (token: LookedUp, { sentAt, body }: Timed, expired: boolean): void => {
  const { jti, scope } = claimsOf(token.text)
  table.noteActive(token.place, sentAt)
  if (expired) report(`P2: token ${jti} is active to a request sent after its exp`)
  if (scopeIn(body) !== scope)
    report(`P5: token ${jti} has the scope ${scope}, and introspection says ${scopeIn(body)}`)
}

const introspect = async (caller: Caller, token: LookedUp, port = caller.port): Promise<void> => {
  const { place, text } = token
  const expired = Date.now() >= token.expiresAtMs
  const answer = await ask(caller, introspectRequest(access, text), { port })
  counts.introspections += 1
  if (answer === undefined) return
  if (isActiveIn(answer.body)) return noteActive(token, answer, expired)
  table.noteInactive(place, answer.receivedAt)
  if (!caller.random.chance(RETIRE_SHARE)) return
  cache(text)
  table.retire(place)
}

const introspectOld = async (caller: Caller): Promise<void> => {
  const text = earlier[caller.random.below(earlier.length)]
  if (text === undefined) return
  const answer = await ask(caller, introspectRequest(access, text))
  counts.introspections += 1
  if (answer === undefined || !isActiveIn(answer.body)) return
  report(`P2: token ${claimsOf(text).jti} is active, though an answer had said inactive some time before`)
}

const revoke = async (caller: Caller, token: LookedUp): Promise<void> => {
  const { place } = token
  const request = revokeRequest(access, token.text, caller.random.pick(ENDINGS))
  table.noteRevokeSent(place, now())
  Atomics.store(progress, PROGRESS.hot + caller.random.below(HOT_PLACES), place)
  let answer = await ask(caller, request)
  counts.revocations += 1
  while (answer === undefined && caller.random.chance(REPEAT_SHARE) && takeTurn()) {
    answer = await ask(caller, request)
    counts.revocations += 1
  }
  if (answer !== undefined) table.noteRevoked(place, answer.receivedAt)
  // A client that has just revoked introspects at once, and anywhere: no moment is more likely to show a stale answer.
  if (caller.random.chance(0.5) && takeTurn()) await introspect(caller, token, caller.random.pick(ports))
}

/** What a token is exchanged for was got while it lived: a refusal says that it does not. */
const exchangeToken = async (
  caller: Caller,
  { place, text: root }: LookedUp,
  parent: Descendant | undefined,
): Promise<void> => {
  const mayBeRefused = parent === undefined || canOnlyEndWithRoot(parent)
  const answer = await ask(caller, exchangeRequest(access, parent?.text ?? root), { refusal: 400 })
  counts.exchanges += 1
  if (answer === undefined) return
  const { status, sentAt, receivedAt, body } = answer
  if (status !== 200) {
    if (mayBeRefused) table.noteInactive(place, receivedAt)
    return
  }
  table.noteActive(place, sentAt)
  reportIfRevoked(parent, sentAt)
  const text = tokenIn(body)
  caller.descendants.add({ text, place, root, parent, expiresAtMs: 1000 * claimsOf(text).exp })
}

/** A family of which not all follow at once ends together, and is looked at while its rows have yet to follow. */
const endFamily = async (caller: Caller, token: LookedUp): Promise<void> => {
  for (let left = BURST_EXCHANGES; left > 0 && takeTurn(); left -= 1) await exchangeToken(caller, token, undefined)
  if (!takeTurn()) return
  await revoke(caller, token)
  for (const one of caller.descendants.of(token.text, EXAMINED_AFTER)) {
    if (takeTurn()) await introspectDescendant(caller, one)
  }
}

const reportIfRevoked = (one: Descendant | undefined, sentAt: bigint): void => {
  if (one === undefined || sentAt <= revokedSince(one)) return
  report(`P1, P10: token ${claimsOf(one.text).jti} lives after the 200 of a revocation of it, or of an ancestor`)
}

const introspectDescendant = async (caller: Caller, one: Descendant): Promise<void> => {
  const couldOnlyEndWithRoot = canOnlyEndWithRoot(one)
  const answer = await ask(caller, introspectRequest(access, one.text), { port: caller.random.pick(ports) })
  counts.introspections += 1
  if (answer === undefined) return
  if (isActiveIn(answer.body)) {
    table.noteActive(one.place, answer.sentAt)
    reportIfRevoked(one, answer.sentAt)
    return
  }
  if (couldOnlyEndWithRoot && canOnlyEndWithRoot(one)) table.noteInactive(one.place, answer.receivedAt)
  if (caller.random.chance(RETIRE_SHARE)) caller.descendants.drop(one)
}

/** The relay holds it. */
const revokeDescendant = async (caller: Caller, one: Descendant): Promise<void> => {
  one.revokeSent = now()
  const answer = await ask(caller, revokeRequest(access, one.text, 'manual_revocation'))
  counts.revocations += 1
  if (answer !== undefined && answer.receivedAt < one.revoked) one.revoked = answer.receivedAt
}

/** While the token in its place is used nobody puts another there. */
const actOnDescendant = async (caller: Caller, one: Descendant): Promise<Done> => {
  const { random, descendants } = caller
  const used = table.use(one.place)
  if (used === undefined) {
    descendants.drop(one)
    return 'nothing'
  }
  try {
    if (used.text !== one.root) descendants.drop(one)
    else if (!takeTurn()) return 'nothing'
    else if (random.chance(DESCENDANT_REVOKED_SHARE)) await revokeDescendant(caller, one)
    else if (random.chance(DESCENDANT_EXCHANGED_SHARE) && mayHaveChildren(one)) {
      await exchangeToken(caller, { ...used, place: one.place }, one)
    } else await introspectDescendant(caller, one)
    return 'an operation'
  } finally {
    table.release(one.place)
  }
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
    else if (!token.shortLived && caller.random.chance(EXCHANGE_SHARE))
      await (caller.random.chance(BURST_SHARE) ? endFamily(caller, token) : exchangeToken(caller, token, undefined))
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
  if (earlier.length > 0 && random.chance(OLD_SHARE) && takeTurn()) return introspectOld(caller)
  const descendant = random.chance(DESCENDANT_SHARE) ? caller.descendants.pick() : undefined
  if (descendant !== undefined) {
    if ((await actOnDescendant(caller, descendant)) === 'nothing') await nextTurn()
    return
  }
  const hot = Atomics.load(progress, PROGRESS.hot + random.below(HOT_PLACES))
  const done = await act(caller, random.chance(HOT_SHARE) ? hot : pickPlace(random))
  // Somebody else has taken the place, perhaps on this thread: its answer must be let in.
  if (done === 'nothing') await nextTurn()
}

const run = async (n: number): Promise<void> => {
  const port = ports[n % ports.length] ?? access.port
  const random = makeRandom(options.seed + n)
  const caller: Caller = { port, connections: new Map(), random, descendants: makeDescendants(random) }
  while (Atomics.load(progress, PROGRESS.left) > 0) await step(caller)
  for (const connection of caller.connections.values()) connection.close()
}

await Promise.all(Array.from({ length: options.connections }, (_, n) => run(n)))
parentPort?.postMessage({ violations, counts, outcomes } satisfies ClientReport)
