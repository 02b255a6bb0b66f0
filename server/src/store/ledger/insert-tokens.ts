// The guarded insert: writes new tokens, each only where the decision to issue it still stands. Every store runs this
// program; PostgreSQL has a fast path for tokens that need only their row (postgres/hot/insert-plain.ts).
import type { AgentLimits } from '../../../../api/values/limits.ts'
import { LIFETIMES_MAX } from '../../domain/clients/agent.ts'
import { DELEGATED_LIFETIMES } from '../../domain/ledger/lineage.ts'
import type { InsertOutcome, LimitReached, NewToken } from '../../ports/ports.ts'
import type { SingleUse } from '../../ports/secret-repositories.ts'
import { noteCredentialUses } from '../repositories/last-uses.ts'
import { bytesOfHex, bytesOfId } from '../rows.ts'
import type { Seen } from '../snapshot.ts'
import { first, only, run, type Program, type Value } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'
import { subjectAgentOf } from '../../domain/ledger/lineage.ts'
import type { NewPrincipal } from '../../domain/ledger/token-subject.ts'
import type { TokenAddress } from '../../domain/ledger/claims.ts'
import { keepLineage, type Origin } from './lineages.ts'
import { isBlocked, keepPrincipal, numberOfKept } from './principals.ts'
import { keepProof, stateOfProof } from './proofs.ts'
import { readParent } from './read-parent.ts'
import { makeQuotaCheck, type QuotaCheck } from './quota-check.ts'
import { NO_ANCESTORS } from './token-rows.ts'

/** A DPoP proof, a client assertion or an ID-JAG: each gets one token. */
export type TokenUse = SingleUse & { readonly kind: 'dpop' | 'assertion' | 'id_jag' }

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
  /** The limits by number of the agent; an agent without limits is left out. */
  readonly limits: ReadonlyMap<number, AgentLimits>
  /** The uses by position of the token; a token without any is left out. */
  readonly uses: ReadonlyMap<number, readonly TokenUse[]>
  /** The parents by position of the token; a token without a parent is left out. */
  readonly parents: ReadonlyMap<number, TokenAddress>
  /** The principals by position of the token; a token that acts for its agent, or has a parent, is left out. */
  readonly principals: ReadonlyMap<number, NewPrincipal>
}

export type TokenGroup = GroupShares & { readonly tokens: readonly GroupToken[] }

const positionIn = (positions: Map<string, number>, text: string): number => {
  const known = positions.get(text)
  if (known !== undefined) return known
  positions.set(text, positions.size)
  return positions.size - 1
}

// A DPoP proof also has a thumbprint, which is not stored.
const usesOf = ({ proof, assertion, idJag }: NewToken): readonly TokenUse[] => [
  ...(assertion === undefined ? [] : [{ kind: 'assertion' as const, id: assertion.id, until: assertion.until }]),
  ...(idJag === undefined ? [] : [{ kind: 'id_jag' as const, id: idJag.id, until: idJag.until }]),
  ...(proof === undefined ? [] : [{ kind: 'dpop' as const, id: proof.id, until: proof.until }]),
]

/** What the tokens share, and at which position each finds its scope and its audiences. */
export const sharesOf = (
  tokens: readonly NewToken[],
): { shares: GroupShares; positions: readonly Pick<GroupToken, 'scope' | 'audience'>[] } => {
  const scopes = new Map<string, number>()
  const audiences = new Map<string, number>()
  const limits = new Map<number, AgentLimits>()
  const uses = new Map<number, readonly TokenUse[]>()
  const parents = new Map<number, TokenAddress>()
  const principals = new Map<number, NewPrincipal>()
  const positions = tokens.map((token, n) => {
    if (token.limits !== null) limits.set(token.agent, token.limits)
    const own = usesOf(token)
    if (own.length > 0) uses.set(n, own)
    if (token.parent !== undefined) parents.set(n, token.parent)
    else if (token.principal !== undefined) principals.set(n, token.principal)
    const scope = positionIn(scopes, token.scope)
    return { scope, audience: positionIn(audiences, JSON.stringify(token.audience)) }
  })
  const named = { scopes: [...scopes.keys()], audiences: [...audiences.keys()] }
  return { shares: { ...named, limits, uses, parents, principals }, positions }
}

export const groupOf = (newTokens: readonly NewToken[]): TokenGroup => {
  const { shares, positions } = sharesOf(newTokens)
  const tokens = newTokens.map((token, n) => ({
    id: bytesOfId(token.id),
    digest: bytesOfHex(token.digest),
    life: token.lifetimeSeconds,
    agent: token.agent,
    credential: token.credential,
    key: token.signingKey,
    scope: positions[n]?.scope ?? 0,
    audience: positions[n]?.audience ?? 0,
    seq: token.seq,
  }))
  return { ...shares, tokens }
}

/** Keeps a lifetime in use; false where it is one too many: every list merges one stream for each. */
function* keepLifetime(life: number): Program<boolean> {
  if ((yield* first('select 1 as found from lifetime where life = ?', life)) !== undefined) return true
  const others = `select count(*) as count from lifetime where life not in (${DELEGATED_LIFETIMES.join(', ')})`
  const { count } = yield* only<{ count: number }>(others)
  if (count >= LIFETIMES_MAX && !DELEGATED_LIFETIMES.includes(life)) return false
  yield* run('insert into lifetime (life) values (?)', life)
  return true
}

type Numbers = { readonly scope: number; readonly audience: number }

type Kept = Numbers | 'no_room'

// A position is below 2 ** 16, and a lifetime below 2 ** 20.
const keyOf = ({ life, scope, audience }: GroupToken): number => (life * 65_536 + scope) * 65_536 + audience

const NOT_TAKEN = {
  dpop: { used: 'proof_used', late: 'proof_late' },
  // One outcome: the reason why an assertion is refused is not disclosed.
  assertion: { used: 'assertion_used', late: 'assertion_used' },
  id_jag: { used: 'id_jag_used', late: 'id_jag_used' },
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
const INSERTS = [128, 16, 1].map(count => ({ valuesCount: count * COLUMNS.length, text: insertOf(count) }))

/** Writes rows given as the values of one after another, and leaves the list empty. */
function* writeRows(values: Value[]): Program<void> {
  for (const { valuesCount, text } of INSERTS) {
    while (values.length >= valuesCount) yield* run(text, ...values.splice(0, valuesCount))
  }
}

/**
 * A group as it is inserted. No generator function is declared for each group: V8 makes a hidden class for each one that is
 * called, which costs more than the row.
 */
type Inserting = {
  readonly tx: Transaction
  readonly group: TokenGroup
  /** Undefined where no agent of the group has limits. */
  readonly quota: QuotaCheck | undefined
  /** What was kept for each combination of lifetime, scope and audiences. */
  readonly kept: Map<number, Kept>
  /** The values of rows that are not written yet. */
  readonly values: Value[]
}

/** Keeps the lifetime, the scope and the audiences of a token. */
function* keepShares({ tx, group, kept }: Inserting, token: GroupToken): Program<Kept> {
  const scope = yield* tx.sets.keepScope(group.scopes[token.scope] ?? '', tx.now)
  const audience = yield* tx.sets.keepAudience(group.audiences[token.audience] ?? '', tx.now)
  const hasRoom = scope !== null && audience !== null && (yield* keepLifetime(token.life))
  const shares = hasRoom ? { scope, audience } : 'no_room'
  kept.set(keyOf(token), shares)
  return shares
}

type Checked = {
  readonly token: GroupToken
  readonly numbers: Numbers
  readonly uses: readonly TokenUse[]
  readonly parent: TokenAddress | undefined
  readonly principal: NewPrincipal | undefined
}

/** Checks the quota of the agent. Rows are written before the check reads the store, which must see them. */
function* checkQuota(
  quota: QuotaCheck,
  { token, principal: own }: Checked,
  { above, principal: inherited }: Origin,
  unwritten: Value[],
): Program<LimitReached | undefined> {
  const principal = own === undefined ? inherited : ((yield* numberOfKept(own)) ?? 'new')
  const checking = quota.check({ ...token, principal }, above)
  let step = checking.next()
  if (step.done !== true) yield* writeRows(unwritten)
  while (step.done !== true) step = checking.next(yield step.value)
  return step.value
}

const addRow = ({ values }: Inserting, token: GroupToken, { scope, audience }: Numbers): void => {
  const { life, id, digest, agent, credential, key, seq } = token
  values.push(life, id, digest, agent, credential, key, scope, audience, seq)
}

const LINKED = [...COLUMNS, 'lineage', 'subject', 'principal']
const INSERT_LINKED = `insert into token (${LINKED.join(', ')}) values (${LINKED.map(() => '?').join(', ')})`

/** Writes a token that has a parent, or acts for a principal. */
function* writeLinked({ tx }: Inserting, checked: Checked, { above, principal: inherited }: Origin): Program<void> {
  const { token, numbers, principal: own } = checked
  const principal = own === undefined ? inherited : yield* keepPrincipal(own, tx.now)
  const { life, id, digest, agent, credential, key, seq } = token
  const lineage = above.length === 0 ? null : yield* keepLineage({ above, principal }, tx.now)
  const subject = lineage === null ? null : subjectAgentOf({ id: '', agent, principal, ancestors: above })
  const row = [life, id, digest, agent, credential, key, numbers.scope, numbers.audience, seq]
  yield* run(INSERT_LINKED, ...row, lineage, subject, principal)
}

const FROM_NOTHING: Origin = { above: NO_ANCESTORS, principal: null }

type NoOrigin = 'parent_ended' | 'subject_blocked' | 'earlier_program'

/** What a token has from its parent. What descends from one for a blocked principal has ended with that. */
function* originOf(tx: Transaction, checked: Checked): Program<Origin | NoOrigin> {
  const { token, parent, principal } = checked
  if (parent === undefined) {
    if (principal === undefined) return FROM_NOTHING
    if (yield* tx.isEarlierServing('exchange of JWTs')) return 'earlier_program'
    return (yield* isBlocked(principal)) ? 'subject_blocked' : FROM_NOTHING
  }
  return (yield* tx.isEarlierServing('lineage')) ? 'earlier_program' : yield* readParent(tx, parent, token)
}

/** A token that its agent's limits, its parent, its principal, a proof or an assertion may refuse. */
function* insertChecked(inserting: Inserting, checked: Checked): Program<InsertOutcome> {
  const { tx, quota, values } = inserting
  const { token, numbers, uses, principal } = checked
  const origin = yield* originOf(tx, checked)
  if (typeof origin === 'string') return origin
  // Before the quota: a proof that was used must end no token of the agent to make room.
  const refused = yield* refuseUses(tx, uses)
  if (refused !== undefined) return refused
  const reached = quota === undefined ? undefined : yield* checkQuota(quota, checked, origin, values)
  if (reached !== undefined) return reached
  if (origin.above.length === 0 && principal === undefined) addRow(inserting, token, numbers)
  else yield* writeLinked(inserting, checked, origin)
  if (quota !== undefined) yield* quota.count(token)
  for (const use of uses) yield* keepProof(use)
  return 'inserted'
}

const NO_USES: readonly TokenUse[] = []

/** Returns one outcome for each token, in order. A plain token adds its row without a program of its own. */
function* insertEach(inserting: Inserting, seq: number): Program<readonly InsertOutcome[]> {
  const { group, kept } = inserting
  const outcomes: InsertOutcome[] = []
  for (const [n, token] of group.tokens.entries()) {
    if (token.seq !== seq) {
      outcomes.push('decide_again')
      continue
    }
    const numbers = kept.get(keyOf(token)) ?? (yield* keepShares(inserting, token))
    const [uses, parent, principal] = [group.uses.get(n) ?? NO_USES, group.parents.get(n), group.principals.get(n)]
    const isLinked = parent !== undefined || principal !== undefined
    if (numbers === 'no_room') outcomes.push(numbers)
    else if (uses.length > 0 || isLinked || group.limits.has(token.agent)) {
      outcomes.push(yield* insertChecked(inserting, { token, numbers, uses, parent, principal }))
    } else {
      addRow(inserting, token, numbers)
      outcomes.push('inserted')
    }
  }
  return outcomes
}

/**
 * One outcome a token, in order: one token's refusal does not refuse the others. Runs where no act can run at the same
 * time, so that every token that it writes was decided on under the current number of the service.
 */
export function* insertTokens(tx: Transaction, group: TokenGroup): Program<readonly InsertOutcome[]> {
  const { seq } = yield* only<{ seq: number }>('select seq from service')
  const quota = group.limits.size === 0 ? undefined : makeQuotaCheck(tx, group.limits)
  const inserting: Inserting = { tx, group, quota, kept: new Map(), values: [] }
  const outcomes = yield* insertEach(inserting, seq)
  yield* writeRows(inserting.values)
  if (quota !== undefined) yield* quota.settle()
  const written = group.tokens.filter((_, n) => outcomes[n] === 'inserted')
  yield* noteCredentialUses(tx, new Set(written.map(({ credential }) => credential)))
  return outcomes
}
