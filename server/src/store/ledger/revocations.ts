// Revocations of many tokens: each is a cut-off with an id of its own, by which its state can be asked.
import type { Act, Actor } from '../../domain/audit/act.ts'
import type { AlreadyExists } from '../../domain/idempotency.ts'
import { type CutOffConditions, NO_CONDITION } from '../../domain/ledger/ledger.ts'
import type { AgentSelection } from '../../domain/ledger/selection.ts'
import type {
  Revocation,
  RevocationConditions,
  RevocationObstacle,
  RevocationDryRun,
} from '../../domain/ledger/revocation.ts'
import type { NameKinds } from '../../domain/lists/names.ts'
import type { NewRevocation, RevocationMade } from '../../ports/revocations.ts'
import { numberOf } from '../lists/asked-numbers.ts'
import { nameRecord } from '../lists/read-names.ts'
import { once } from '../repositories/idempotency.ts'
import { first, type Program } from '../statement-program.ts'
import { audit, type Transaction } from '../transaction.ts'
import { checkPlan, digestSelected } from './check-plan.ts'
import { endingReasonOf } from './judge.ts'
import { endAll } from './end-tokens.ts'
import { recall } from '../name-cache.ts'
import type { Seen } from '../snapshot.ts'
import type { CountEnds, Decide } from './count-ends.ts'
import { type NameCaches, recordOf } from './name-caches.ts'
import { disableSelected, requireSelections, selectAgents } from './select-agents.ts'
import { findRow } from './find-row.ts'
import { keepNamed, numberOfKept } from './principals.ts'
import { resolveActsFor } from './resolve-acts-for.ts'

type Row = {
  id: string
  conditions: string
  reason: number
  at: number
  state: 'open' | 'closed'
  moved: number
  position: number | null
  actor: string
  note: string | null
}

const SELECT = `select x.revocation_id as id, x.conditions, x.reason, x.at, x.state, x.moved, x.position, a.actor, a.note
  from cutoff x join act a on a.n = x.act where x.revocation_id = ?`

// What people know by a name, as `numberOf` finds it.
const NAME = {
  agent: 'select id as name from agent where n = ?',
  credential: 'select id as name from credential where n = ?',
  key: 'select kid as name from signing_key where n = ?',
  issuer: 'select alias as name from trusted_issuer where n = ?',
  principal: `select i.alias || ':' || p.sub as name from principal p join trusted_issuer i on i.n = p.issuer
    where p.n = ?`,
} as const

function* nameOf(what: keyof typeof NAME, n: number | null): Program<string | null> {
  if (n === null) return null
  const row = yield* first<{ name: string }>(NAME[what], n)
  if (row === undefined) throw new Error(`A revocation names ${what} ${n}, which is not there.`)
  return row.name
}

/** The root of the tree of a token; undefined where nothing is left of the token. */
function* rootOf(seen: Seen, tokenId: string): Program<string | undefined> {
  const row = yield* findRow(seen, tokenId)
  if (row === undefined || row.lineage === null) return row === undefined ? undefined : tokenId
  return (yield* recall(seen.sets.lineage, row.lineage)).at(-1)?.id
}

/** The conditions by the store's own numbers, with nobody selected yet. A name that nothing has is an obstacle. */
function* resolveNames(conditions: RevocationConditions, seen: Seen): Program<CutOffConditions | RevocationObstacle> {
  const { agentId, credentialId, kid, scope, audience, issuedBefore, lineage, selection = null } = conditions
  const agent = yield* numberOf('agent', agentId)
  if (agent === undefined) return 'unknown_agent'
  const credential = yield* numberOf('credential', credentialId)
  if (credential === undefined) return 'unknown_credential'
  const key = yield* numberOf('key', kid)
  if (key === undefined) return 'unknown_key'
  // Tokens that are yet to be issued are not covered: a time to come would promise what does not happen.
  if (issuedBefore !== null && issuedBefore > seen.now) return 'issued_before_in_future'
  const root = lineage === null ? null : yield* rootOf(seen, lineage)
  if (root === undefined) return 'unknown_token'
  const actsFor = yield* resolveActsFor(conditions, numberOfKept)
  if (typeof actsFor === 'string') return actsFor
  const selected = selection === null ? null : { ...selection, agents: [] }
  return { ...NO_CONDITION, agent, credential, key, scope, audience, before: issuedBefore, root, selected, ...actsFor }
}

function* select(named: CutOffConditions): Program<CutOffConditions | RevocationObstacle> {
  const selection = selectionOf(named)
  const selected = selection === null ? null : yield* selectAgents(selection)
  return typeof selected === 'string' ? selected : { ...named, selected }
}

/** The conditions by the store's own numbers. What matches nothing is an obstacle: it would end nothing, in silence. */
function* resolveConditions(
  conditions: RevocationConditions,
  seen: Seen,
): Program<CutOffConditions | RevocationObstacle> {
  const named = yield* resolveNames(conditions, seen)
  return typeof named === 'string' ? named : yield* select(named)
}

const decideOn = (asked: RevocationConditions): Decide<RevocationObstacle> =>
  function* (snapshot) {
    const conditions = yield* resolveConditions(asked, snapshot)
    if (typeof conditions === 'string') return { refused: conditions }
    return { endings: [{ conditions, reason: 'bulk_revocation' }] }
  }

/** Counts what it would end now, and shows a few of those tokens. */
export const dryRunRevocation = async (
  countEnds: CountEnds,
  { nameCaches, named }: { readonly nameCaches: NameCaches; readonly named: NameKinds | undefined },
  conditions: RevocationConditions,
): Promise<RevocationDryRun | RevocationObstacle> => {
  const found = await countEnds(decideOn(conditions), (snapshot, row) =>
    nameRecord(recordOf(row, nameCaches, snapshot.sets), named),
  )
  if ('refused' in found) return found.refused
  const { at, cutOffs, count, sample } = found
  const { selected = null } = cutOffs[0] ?? {}
  return {
    instant: Math.floor(at),
    count: count.tokens + count.descendants,
    isExact: count.isExact,
    agents: selected?.agents.length ?? null,
    agentsDigest: digestSelected(selected),
    sample,
  }
}

const selectionOf = ({ selected }: CutOffConditions): AgentSelection | null => {
  if (selected === null || selected === undefined) return null
  const { agents: _agents, ...selection } = selected
  return selection
}

function* conditionsOf(stored: CutOffConditions): Program<RevocationConditions> {
  const { agent, credential, key, scope, audience, before, root = null, issuers = null, principals = null } = stored
  return {
    agentId: yield* nameOf('agent', agent),
    credentialId: yield* nameOf('credential', credential),
    scope,
    audience,
    kid: yield* nameOf('key', key),
    issuedBefore: before,
    lineage: root,
    subject: yield* nameOf('principal', principals?.[0] ?? null),
    issuer: yield* nameOf('issuer', issuers?.[0] ?? null),
    selection: selectionOf(stored),
  }
}

function* revocationOf({ id, conditions, reason, at, state, moved, position, actor, note }: Row): Program<Revocation> {
  const stored = JSON.parse(conditions) as CutOffConditions // written by endAll
  return {
    id,
    conditions: yield* conditionsOf(stored),
    agents: stored.selected?.agents.length ?? null,
    reason: endingReasonOf(reason),
    note,
    createdBy: JSON.parse(actor) as Actor, // written by recordAct from the same type
    createdAt: at,
    state,
    feedPosition: position,
    tokensMoved: moved,
  }
}

export function* showRevocation(id: string): Program<Revocation | undefined> {
  const row = yield* first<Row>(SELECT, id)
  return row === undefined ? undefined : yield* revocationOf(row)
}

/** The same conditions, by the number of the subject that is named, which its record is to show. */
function* keepSubject(
  tx: Transaction,
  asked: RevocationConditions,
  named: CutOffConditions,
): Program<CutOffConditions> {
  if (named.principals?.length !== 0) return named
  const actsFor = yield* resolveActsFor(asked, principal => keepNamed(tx, principal))
  if (typeof actsFor === 'string') throw new Error(`The subject of a revocation became ${actsFor}.`)
  return { ...named, ...actsFor }
}

type CreateRevocation = { readonly revocation: NewRevocation; readonly act: Act }

function* make(
  tx: Transaction,
  { revocation, act }: CreateRevocation,
  conditions: CutOffConditions,
): Program<RevocationMade | RevocationObstacle> {
  const { id, reason } = revocation
  const { selected = null } = conditions
  const outgrown = revocation.plan === undefined ? undefined : yield* checkPlan(tx, conditions, revocation.plan)
  if (outgrown !== undefined) return outgrown
  if (selected !== null) yield* requireSelections(tx)
  const kept = yield* keepSubject(tx, revocation.conditions, conditions)
  const seq = yield* endAll(tx, { conditions: kept, reason, act, revocationId: id })
  if (selected?.disable === true) yield* disableSelected(tx, { selected, act, seq })
  const { agents } = selected ?? {}
  const made = yield* showRevocation(id)
  if (made === undefined) throw new Error('A revocation that was just made is not there.')
  const { subject } = made.conditions
  const asked = { ...revocation.conditions, ...(subject !== null && { subject }) }
  yield* audit(tx, act, id, { seq, conditions: asked, reason, agents: agents?.length })
  return { outcome: 'created', revocation: made }
}

type Existing = { readonly outcome: 'existing'; readonly revocation: Revocation }

/** The selection is of the first time; a repeat selects nothing else. */
const asAsked = (one: CutOffConditions): string =>
  JSON.stringify(one.selected ? { ...one, selected: { ...one.selected, agents: [] } } : one)

function* findExisting(id: string, conditions: CutOffConditions): Program<Existing | 'other_conditions' | undefined> {
  const existing = yield* first<Row>(SELECT, id)
  if (existing === undefined) return undefined
  // Both texts were made from one literal: their members stand in one order.
  // What was stored before there were lineages lacks their conditions.
  const before: CutOffConditions = { ...NO_CONDITION, ...(JSON.parse(existing.conditions) as CutOffConditions) }
  if (asAsked(before) !== asAsked(conditions)) return 'other_conditions'
  return { outcome: 'existing', revocation: yield* revocationOf(existing) }
}

/**
 * Creates a revocation. Of two callers with one id the second gets the first's; nothing ends twice, and nothing else ends. A revocation
 * that is found by its id was not made under the act's idempotency key, and does not use it up.
 */
export function* createRevocation(
  tx: Transaction,
  create: CreateRevocation,
): Program<RevocationMade | RevocationObstacle | AlreadyExists> {
  const { act, revocation } = create
  const named = yield* resolveNames(revocation.conditions, tx)
  if (typeof named === 'string') return named
  const existing = yield* findExisting(revocation.id, named)
  if (existing !== undefined) return existing
  // A key that was used says so, also where nobody matches any more.
  return yield* once(tx, act, revocation.id, function* () {
    const conditions = yield* select(named)
    return typeof conditions === 'string' ? conditions : yield* make(tx, create, conditions)
  })
}
