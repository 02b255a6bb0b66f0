// Writes new tokens, each only where the decision to issue it still stands: the plain ones at once in one statement, those
// that need more than their row as a job among the others.
import type { AgentLimits } from '../../../../../api/values/limits.ts'
import type { InsertOutcome, LimitReached, NewToken } from '../../../ports/ports.ts'
import { type LimitedToken, makeQuotaCheck } from '../../ledger/quota-check.ts'
import { keepLifetime, refuseUses, type TokenUse } from '../../ledger/new-tokens.ts'
import { keepProof } from '../../ledger/proofs.ts'
import { noteCredentialUses } from '../../repositories/last-uses.ts'
import { bytesOfHex, bytesOfId } from '../../rows.ts'
import { only, type Program } from '../../statement-program.ts'
import type { Transaction } from '../../transaction.ts'
import { type Values, writeRows } from './write-rows.ts'

const usesOf = ({ proof, assertion }: NewToken): readonly TokenUse[] => [
  ...(assertion === undefined ? [] : [{ id: assertion.id, until: assertion.until, kind: 'assertion' as const }]),
  ...(proof === undefined ? [] : [{ id: proof.id, until: proof.until, kind: 'dpop' as const }]),
]

const limitsOf = (tokens: readonly NewToken[]): ReadonlyMap<number, AgentLimits> =>
  new Map(tokens.flatMap(({ agent, limits }) => (limits === null ? [] : [[agent, limits] as const])))

type Numbers = { readonly scope: number; readonly aud: number }

type Lifetimes = Map<number, boolean>

/** What the token shares with others; undefined where there is no room for it. */
function* keepShared({ sets, now }: Transaction, token: NewToken, lifetimes: Lifetimes): Program<Numbers | undefined> {
  const scope = yield* sets.keepScope(token.scope, now)
  const aud = yield* sets.keepAudience(JSON.stringify(token.audience), now)
  const { lifetimeSeconds: life } = token
  const hasLifetime = lifetimes.get(life) ?? (yield* keepLifetime(life))
  lifetimes.set(life, hasLifetime)
  return hasLifetime && scope !== null && aud !== null ? { scope, aud } : undefined
}

type Group = {
  readonly tx: Transaction
  readonly guard: ReturnType<typeof makeQuotaCheck>
  readonly lifetimes: Lifetimes
  /** Rows that are not written yet. */
  readonly rows: Values[]
}

/** Whether the token may be by the limits of its agent. Where that is asked of the store, it must see what comes before. */
function* admit({ guard, rows }: Group, token: LimitedToken): Program<LimitReached | undefined> {
  const admitting = guard.admit(token)
  let step = admitting.next()
  if (step.done !== true) yield* writeRows(rows)
  while (step.done !== true) step = admitting.next(yield step.value)
  return step.value
}

function* insertOne(group: Group, token: NewToken): Program<InsertOutcome> {
  const { tx, guard, rows } = group
  const shared = yield* keepShared(tx, token, group.lifetimes)
  if (shared === undefined) return 'no_room'
  const uses = usesOf(token)
  // First: a proof that was used must end no token of the agent to make room.
  const refused = yield* refuseUses(tx, uses)
  if (refused !== undefined) return refused
  const { agent, credential, signingKey, lifetimeSeconds: life, seq } = token
  const id = bytesOfId(token.id)
  const guarded = { agent, id, life }
  const reached = yield* admit(group, guarded)
  if (reached !== undefined) return reached
  rows.push([life, id, bytesOfHex(token.digest), agent, credential, signingKey, shared.scope, shared.aud, seq])
  yield* guard.count(guarded)
  for (const use of uses) yield* keepProof(use)
  return 'inserted'
}

const keyOf = ({ scope, audience, lifetimeSeconds }: NewToken): string =>
  `${lifetimeSeconds} ${scope} ${JSON.stringify(audience)}`

/** Keeps what the tokens share with others, so that each of them needs but its row; which of them have no room for it. */
export function* keepForTokens(tx: Transaction, tokens: readonly NewToken[]): Program<ReadonlySet<NewToken>> {
  const { seq } = yield* only<{ seq: number }>('select seq from service')
  const lifetimes: Lifetimes = new Map()
  const hasRoom = new Map<string, boolean>()
  const without = new Set<NewToken>()
  for (const token of tokens) {
    // What is decided on again leaves nothing.
    if (token.seq !== seq) continue
    const key = keyOf(token)
    const known = hasRoom.get(key) ?? (yield* keepShared(tx, token, lifetimes)) !== undefined
    hasRoom.set(key, known)
    if (!known) without.add(token)
  }
  return without
}

/** One outcome a token, in order. Runs under the lock of the service: what one token lacks is not the others' fault. */
export function* insertTokens(tx: Transaction, tokens: readonly NewToken[]): Program<readonly InsertOutcome[]> {
  const { seq } = yield* only<{ seq: number }>('select seq from service')
  const group: Group = { tx, guard: makeQuotaCheck(tx, limitsOf(tokens)), lifetimes: new Map(), rows: [] }
  const outcomes: InsertOutcome[] = []
  for (const token of tokens) {
    outcomes.push(token.seq === seq ? yield* insertOne(group, token) : 'decide_again')
  }
  yield* writeRows(group.rows)
  yield* group.guard.settle()
  const got = tokens.filter((_, n) => outcomes[n] === 'inserted')
  yield* noteCredentialUses(tx, [...new Set(got.map(({ credential }) => credential))])
  return outcomes
}
