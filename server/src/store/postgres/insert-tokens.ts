// Writes new tokens, each only where the decision to issue it still stands: the plain ones at once in one statement, those
// that need more than their row as a job among the others.
import { LIFETIMES_MAX } from '../../domain/agent.ts'
import type { AgentLimits } from '../../domain/limits.ts'
import type { InsertOutcome, NewToken } from '../../ports.ts'
import type { SingleUse } from '../../ports/secret-registers.ts'
import { makeGuard } from '../ledger/guard.ts'
import { keepProof, stateOfProof } from '../ledger/proofs.ts'
import { noteCredentialUses } from '../registers/last-uses.ts'
import { bytesOfHex, bytesOfId } from '../rows.ts'
import { first, only, run, type Script } from '../script.ts'
import type { Transaction } from '../transaction.ts'

const INSERT = `insert into token (life, id, digest, agent, cred, key, scope, aud, seq) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`

// Every list merges one stream for each lifetime, so their number is bounded.
function* keepLifetime(life: number): Script<boolean> {
  if ((yield* first('select 1 as found from lifetime where life = ?', life)) !== undefined) return true
  const { count } = yield* only<{ count: number }>('select count(*) as count from lifetime')
  if (count >= LIFETIMES_MAX) return false
  yield* run('insert into lifetime values (?)', life)
  return true
}

type Use = SingleUse & { readonly kind: 'proof' | 'assertion' }

const usesOf = ({ proof, assertion }: NewToken): readonly Use[] => [
  ...(assertion === undefined ? [] : [{ id: assertion.id, until: assertion.until, kind: 'assertion' as const }]),
  ...(proof === undefined ? [] : [{ id: proof.id, until: proof.until, kind: 'proof' as const }]),
]

const NOT_TAKEN = {
  proof: { used: 'proof_used', late: 'proof_late' },
  // One outcome: why an assertion is refused is nobody's business.
  assertion: { used: 'assertion_used', late: 'assertion_used' },
} as const

/** The outcome of the first proof that may not get a token; undefined where all may. */
function* refuseUses(tx: Transaction, uses: readonly Use[]): Script<InsertOutcome | undefined> {
  for (const use of uses) {
    const state = yield* stateOfProof(tx, use)
    if (state !== 'unused') return NOT_TAKEN[use.kind][state]
  }
  return undefined
}

const limitsOf = (tokens: readonly NewToken[]): ReadonlyMap<number, AgentLimits> =>
  new Map(tokens.flatMap(({ agent, limits }) => (limits === null ? [] : [[agent, limits] as const])))

type Numbers = { readonly scope: number; readonly aud: number }

/** What the token shares with others; undefined where there is no room for it. */
function* keepShared({ sets, now }: Transaction, token: NewToken): Script<Numbers | undefined> {
  const scope = yield* sets.keepScope(token.scope, now)
  const aud = yield* sets.keepAudience(JSON.stringify(token.audience), now)
  const hasLifetime = yield* keepLifetime(token.lifetimeSeconds)
  return hasLifetime && scope !== null && aud !== null ? { scope, aud } : undefined
}

function* insertOne(tx: Transaction, token: NewToken, guard: ReturnType<typeof makeGuard>): Script<InsertOutcome> {
  const shared = yield* keepShared(tx, token)
  if (shared === undefined) return 'no_room'
  const uses = usesOf(token)
  // First: a proof that was used must end no token of the agent to make room.
  const refused = yield* refuseUses(tx, uses)
  if (refused !== undefined) return refused
  const { agent, credential, signingKey, lifetimeSeconds: life, seq } = token
  const id = bytesOfId(token.id)
  const guarded = { agent, id, life }
  const reached = yield* guard.admit(guarded)
  if (reached !== undefined) return reached
  const digest = bytesOfHex(token.digest)
  yield* run(INSERT, life, id, digest, agent, credential, signingKey, shared.scope, shared.aud, seq)
  yield* guard.count(guarded)
  for (const use of uses) yield* keepProof(use)
  return 'inserted'
}

const keyOf = ({ scope, audience, lifetimeSeconds }: NewToken): string =>
  `${lifetimeSeconds} ${scope} ${JSON.stringify(audience)}`

/** Keeps what the tokens share with others, so that each of them needs but its row; which of them have no room for it. */
export function* keepForTokens(tx: Transaction, tokens: readonly NewToken[]): Script<ReadonlySet<NewToken>> {
  const { seq } = yield* only<{ seq: number }>('select seq from service')
  const hasRoom = new Map<string, boolean>()
  const without = new Set<NewToken>()
  for (const token of tokens) {
    // What is decided on again leaves nothing.
    if (token.seq !== seq) continue
    const key = keyOf(token)
    const known = hasRoom.get(key) ?? (yield* keepShared(tx, token)) !== undefined
    hasRoom.set(key, known)
    if (!known) without.add(token)
  }
  return without
}

/** One outcome a token, in order. Runs under the lock of the service: what one token lacks is not the others' fault. */
export function* insertTokens(tx: Transaction, tokens: readonly NewToken[]): Script<readonly InsertOutcome[]> {
  const { seq } = yield* only<{ seq: number }>('select seq from service')
  const guard = makeGuard(tx, limitsOf(tokens))
  const outcomes: InsertOutcome[] = []
  for (const token of tokens) {
    outcomes.push(token.seq === seq ? yield* insertOne(tx, token, guard) : 'decide_again')
  }
  yield* guard.settle()
  const got = tokens.filter((_, n) => outcomes[n] === 'inserted')
  yield* noteCredentialUses(tx, [...new Set(got.map(({ credential }) => credential))])
  return outcomes
}
