// A client of the linearizability drill: a thread with connections of its own, each doing one operation after another
// on tokens that it shares with all the others.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type Connection, ConnectionLost, openConnection } from './connection.ts'
import { makeRandom, type Random } from './random.ts'
import {
  type Access,
  claimsOf,
  type EndingRequest,
  introspectRequest,
  isActiveIn,
  issueRequest,
  revokeRequest,
  tokenIn,
} from './requests.ts'
import { type SharedToken, type TableMemory, openTokenTable } from './token-table.ts'

export type ClientOptions = {
  readonly access: Access
  readonly table: TableMemory
  /** Two cells for all clients together: the operations that are still to be done, and the place revoked last. */
  readonly progress: SharedArrayBuffer
  readonly connections: number
  readonly seed: number
}

export type ClientCounts = { issues: number; introspections: number; revocations: number; errors: number }

export type ClientReport = { readonly violations: readonly string[]; readonly counts: ClientCounts }

const REVOKE_SHARE = 0.12
/** So many operations are on the token whose revocation was sent last: around it a stale answer shows. */
const HOT_SHARE = 0.3
const SHORT_LIVED_SHARE = 0.03
/** Of the looks at a token that has ended, so many free its place. */
const RETIRE_SHARE = 0.15
const ENDINGS: readonly EndingRequest[] = ['manual_revocation', 'self_revocation']
// `exp` is told in whole seconds, so that a token may live up to a second less than its lifetime; and a margin.
const EXPIRY_MARGIN_NS = 1_250_000_000n

const { access, table: memory, progress: progressBuffer, connections, seed } = workerData as ClientOptions
const table = openTokenTable(memory)
const progress = new Int32Array(progressBuffer)
const [LEFT, HOT] = [0, 1]
const violations: string[] = []
const counts: ClientCounts = { issues: 0, introspections: 0, revocations: 0, errors: 0 }
const now = (): bigint => process.hrtime.bigint()

type Lane = { connection: Connection; readonly random: Random }

/** An answer with the times around it; undefined for an error, whose outcome is unknown. */
type Timed = { readonly sentAt: bigint; readonly receivedAt: bigint; readonly body: string }

const exchange = async (lane: Lane, request: string): Promise<Timed | undefined> => {
  const sentAt = now()
  try {
    const { status, body } = await lane.connection.exchange(request)
    const receivedAt = now()
    if (status === 200) return { sentAt, receivedAt, body }
    if (status < 500) throw new Error(`A good request was refused with ${status}: ${body}`)
  } catch (fault) {
    if (!(fault instanceof ConnectionLost)) throw fault
    lane.connection.close()
    lane.connection = await openConnection(access.port)
  }
  counts.errors += 1
  return undefined
}

const issue = async (lane: Lane, place: number): Promise<void> => {
  const shortLived = lane.random.chance(SHORT_LIVED_SHARE)
  const answer = await exchange(lane, issueRequest(shortLived ? access.shortLivedAgent : access.agent))
  counts.issues += 1
  if (answer === undefined) return table.fill(place, undefined)
  const text = tokenIn(answer.body)
  const { exp, iat } = claimsOf(text)
  // By the lifetime, not by `exp`: the clock of the store may run ahead of the wall clock, never behind it.
  const surelyAliveUntil = answer.sentAt + BigInt(exp - iat) * 1_000_000_000n - EXPIRY_MARGIN_NS
  table.fill(place, { text, shortLived, surelyAliveUntil, expiresAtMs: 1000 * exp })
}

const introspect = async (lane: Lane, place: number, token: SharedToken): Promise<void> => {
  const expired = Date.now() >= token.expiresAtMs
  const answer = await exchange(lane, introspectRequest(access, token.text))
  counts.introspections += 1
  if (answer === undefined) return
  if (isActiveIn(answer.body)) {
    table.noteActive(place, answer.sentAt)
    if (expired) violations.push(`P2: token ${claimsOf(token.text).jti} is active to a request sent after its exp`)
  } else {
    table.noteInactive(place, answer.receivedAt)
    if (lane.random.chance(RETIRE_SHARE)) table.retire(place)
  }
}

const revoke = async (lane: Lane, place: number, token: SharedToken): Promise<void> => {
  const request = revokeRequest(access, token.text, lane.random.pick(ENDINGS))
  table.noteRevokeSent(place, now())
  Atomics.store(progress, HOT, place)
  const answer = await exchange(lane, request)
  counts.revocations += 1
  if (answer !== undefined) table.noteRevoked(place, answer.receivedAt)
  // Whoever has just revoked looks at once: no moment is more likely to show a stale answer.
  if (lane.random.chance(0.5) && takeTurn()) await introspect(lane, place, token)
}

const takeTurn = (): boolean => Atomics.sub(progress, LEFT, 1) > 0

type Done = 'an operation' | 'nothing'

const renew = async (lane: Lane, place: number): Promise<Done> => {
  if (!table.take(place)) return 'nothing'
  for (const violation of table.judge(place)) violations.push(violation)
  if (takeTurn()) await issue(lane, place)
  else table.fill(place, undefined)
  return 'an operation'
}

const act = async (lane: Lane, place: number): Promise<Done> => {
  const token = table.use(place)
  if (token === undefined) return renew(lane, place)
  try {
    if (!takeTurn()) return 'nothing'
    if (!token.shortLived && lane.random.chance(REVOKE_SHARE)) await revoke(lane, place, token)
    else await introspect(lane, place, token)
    return 'an operation'
  } finally {
    table.release(place)
  }
}

const run = async (n: number): Promise<void> => {
  const lane: Lane = { connection: await openConnection(access.port), random: makeRandom(seed + n) }
  while (Atomics.load(progress, LEFT) > 0) {
    const { random } = lane
    const done = await act(lane, random.chance(HOT_SHARE) ? Atomics.load(progress, HOT) : random.below(table.places))
    // Somebody else has taken the place, perhaps on this thread: its answer must be let in.
    if (done === 'nothing') await nextTurn()
  }
  lane.connection.close()
}

await Promise.all(Array.from({ length: connections }, (_, n) => run(n)))
parentPort?.postMessage({ violations, counts } satisfies ClientReport)
