// The guarded insert: writes new tokens, each only where the decision to issue it still stands. Every store runs this
// program; PostgreSQL has a fast path for tokens that need only their row (postgres/hot/insert-plain.ts).
import type { AgentLimits } from '../../../../api/values/limits.ts'
import { LIFETIMES_MAX } from '../../domain/clients/agent.ts'
import type { InsertOutcome, LimitReached, NewToken } from '../../ports/ports.ts'
import type { SingleUse } from '../../ports/secret-repositories.ts'
import { noteCredentialUses } from '../repositories/last-uses.ts'
import { bytesOfHex, bytesOfId } from '../rows.ts'
import type { Seen } from '../snapshot.ts'
import { first, only, run, type Program, type Value } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'
import { keepProof, stateOfProof } from './proofs.ts'
import { type LimitedToken, makeQuotaCheck } from './quota-check.ts'

/** A DPoP proof or a client assertion: each gets one token. */
export type TokenUse = SingleUse & { readonly kind: 'dpop' | 'assertion' }

/** `scope` and `audience` are positions in the lists of the group; the other numbers are the store's own. */
export type GroupToken = {
  readonly id: Uint8Array
  readonly digest: Uint8Array
  readonly life: number
  readonly agent: number
  readonly credential: number
  readonly key: number
  readonly scope: number
  readonly audience: number
  readonly seq: number
}

/** What the tokens of a group share. */
export type GroupShares = {
  readonly scopes: readonly string[]
  /** Lists of audiences, as JSON. */
  readonly audiences: readonly string[]
  /** By the number of the agent; an agent without limits is left out. */
  readonly limits: ReadonlyMap<number, AgentLimits>
  /** By the position of the token; a token without any is left out. */
  readonly uses: ReadonlyMap<number, readonly TokenUse[]>
}

export type TokenGroup = GroupShares & { readonly tokens: readonly GroupToken[] }

const positionIn = (positions: Map<string, number>, text: string): number => {
  const known = positions.get(text)
  if (known !== undefined) return known
  positions.set(text, positions.size)
  return positions.size - 1
}

// A DPoP proof also has a thumbprint, which is not stored.
const usesOf = ({ proof, assertion }: NewToken): readonly TokenUse[] => [
  ...(assertion === undefined ? [] : [{ kind: 'assertion' as const, id: assertion.id, until: assertion.until }]),
  ...(proof === undefined ? [] : [{ kind: 'dpop' as const, id: proof.id, until: proof.until }]),
]

export const groupOf = (tokens: readonly NewToken[]): TokenGroup => {
  const scopes = new Map<string, number>()
  const audiences = new Map<string, number>()
  const limits = new Map<number, AgentLimits>()
  const uses = new Map<number, readonly TokenUse[]>()
  const rows = tokens.map((token, n): GroupToken => {
    if (token.limits !== null) limits.set(token.agent, token.limits)
    if (token.proof !== undefined || token.assertion !== undefined) uses.set(n, usesOf(token))
    return {
      id: bytesOfId(token.id),
      digest: bytesOfHex(token.digest),
      life: token.lifetimeSeconds,
      agent: token.agent,
      credential: token.credential,
      key: token.signingKey,
      scope: positionIn(scopes, token.scope),
      audience: positionIn(audiences, JSON.stringify(token.audience)),
      seq: token.seq,
    }
  })
  return { tokens: rows, scopes: [...scopes.keys()], audiences: [...audiences.keys()], limits, uses }
}

/** Keeps a lifetime in use; false where it is one too many: every list merges one stream for each. */
function* keepLifetime(life: number): Program<boolean> {
  if ((yield* first('select 1 as found from lifetime where life = ?', life)) !== undefined) return true
  const { count } = yield* only<{ count: number }>('select count(*) as count from lifetime')
  if (count >= LIFETIMES_MAX) return false
  yield* run('insert into lifetime (life) values (?)', life)
  return true
}

type Numbers = { readonly scope: number; readonly audience: number }

type KeepShares = (token: GroupToken) => Program<Numbers | undefined>

/** Keeps the lifetime, scope and audiences of a token, each once a group; undefined where the ledger has no room. */
const makeKeepShares = ({ sets, now }: Transaction, { scopes, audiences }: TokenGroup): KeepShares => {
  const lifetimes = new Map<number, boolean>()
  const scopeNumbers = new Map<number, number | null>()
  const audienceNumbers = new Map<number, number | null>()

  function* kept<T>(known: Map<number, T>, key: number, keep: Program<T>): Program<T> {
    const value = yield* keep
    known.set(key, value)
    return value
  }

  return function* ({ life, scope, audience }) {
    const scopeNumber =
      scopeNumbers.get(scope) ?? (yield* kept(scopeNumbers, scope, sets.keepScope(scopes[scope] ?? '', now)))
    const audienceNumber =
      audienceNumbers.get(audience) ??
      (yield* kept(audienceNumbers, audience, sets.keepAudience(audiences[audience] ?? '', now)))
    const hasLifetime = lifetimes.get(life) ?? (yield* kept(lifetimes, life, keepLifetime(life)))
    if (!hasLifetime || scopeNumber === null || audienceNumber === null) return undefined
    return { scope: scopeNumber, audience: audienceNumber }
  }
}

const NOT_TAKEN = {
  dpop: { used: 'proof_used', late: 'proof_late' },
  // One outcome: the reason why an assertion is refused is not disclosed.
  assertion: { used: 'assertion_used', late: 'assertion_used' },
} as const

/** The outcome of the first use that may not get a token; undefined where all may. */
function* refuseUses({ now }: Pick<Seen, 'now'>, uses: readonly TokenUse[]): Program<InsertOutcome | undefined> {
  for (const use of uses) {
    const state = yield* stateOfProof({ now }, use)
    if (state !== 'unused') return NOT_TAKEN[use.kind][state]
  }
  return undefined
}

const COLUMNS = ['life', 'id', 'digest', 'agent', 'cred', 'key', 'scope', 'aud', 'seq']

const insertOf = (count: number): string => {
  const row = `(${COLUMNS.map(() => '?').join(', ')})`
  return `insert into token (${COLUMNS.join(', ')}) values ${Array.from({ length: count }, () => row).join(', ')}`
}

// Three sizes, so that only three statements are prepared.
const INSERTS = [128, 16, 1].map(count => ({ count, text: insertOf(count) }))

type Row = readonly Value[]

/** Writes all of the rows, and leaves the list empty. */
function* writeRows(rows: Row[]): Program<void> {
  for (const { count, text } of INSERTS) {
    while (rows.length >= count) yield* run(text, ...rows.splice(0, count).flat())
  }
}

type Inserting = {
  readonly tx: Transaction
  readonly group: TokenGroup
  readonly quota: ReturnType<typeof makeQuotaCheck>
  readonly keepShares: KeepShares
  /** Rows that are not written yet. */
  readonly rows: Row[]
}

/** Checks the quota of the agent. Rows are written before the check reads the store, which must see them. */
function* checkQuota({ quota, rows }: Inserting, token: LimitedToken): Program<LimitReached | undefined> {
  const checking = quota.check(token)
  let step = checking.next()
  if (step.done !== true) yield* writeRows(rows)
  while (step.done !== true) step = checking.next(yield step.value)
  return step.value
}

const NO_USES: readonly TokenUse[] = []

function* insertOne(inserting: Inserting, token: GroupToken, n: number): Program<InsertOutcome> {
  const { tx, group, quota, rows } = inserting
  const shares = yield* inserting.keepShares(token)
  if (shares === undefined) return 'no_room'
  const uses = group.uses.get(n) ?? NO_USES
  // Before the quota: a proof that was used must end no token of the agent to make room.
  const refused = uses.length === 0 ? undefined : yield* refuseUses(tx, uses)
  if (refused !== undefined) return refused
  const isLimited = group.limits.has(token.agent)
  const reached = isLimited ? yield* checkQuota(inserting, token) : undefined
  if (reached !== undefined) return reached
  const { life, id, digest, agent, credential, key, seq } = token
  rows.push([life, id, digest, agent, credential, key, shares.scope, shares.audience, seq])
  if (isLimited) yield* quota.count(token)
  for (const use of uses) yield* keepProof(use)
  return 'inserted'
}

/**
 * One outcome a token, in order: one token's refusal does not refuse the others. Runs where no act can run at the same
 * time, so that every token that it writes was decided on under the current number of the service.
 */
export function* insertTokens(tx: Transaction, group: TokenGroup): Program<readonly InsertOutcome[]> {
  const { seq } = yield* only<{ seq: number }>('select seq from service')
  const quota = makeQuotaCheck(tx, group.limits)
  const inserting: Inserting = { tx, group, quota, keepShares: makeKeepShares(tx, group), rows: [] }
  const outcomes: InsertOutcome[] = []
  const credentials = new Set<number>()
  for (const [n, token] of group.tokens.entries()) {
    const outcome = token.seq === seq ? yield* insertOne(inserting, token, n) : 'decide_again'
    if (outcome === 'inserted') credentials.add(token.credential)
    outcomes.push(outcome)
  }
  yield* writeRows(inserting.rows)
  yield* quota.settle()
  yield* noteCredentialUses(tx, credentials)
  return outcomes
}
