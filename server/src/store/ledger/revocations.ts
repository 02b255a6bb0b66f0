// Revocations of many tokens: each is a cut-off with an id of its own, by which its state can be asked.
import type { Act, Actor } from '../../domain/act.ts'
import type { MadeBefore } from '../../domain/idempotency.ts'
import { type CutOffConditions, NO_CONDITION } from '../../domain/ledger.ts'
import type { Milliseconds } from '../../domain/time.ts'
import type { Revocation, RevocationConditions, RevocationObstacle } from '../../domain/revocation.ts'
import type { NewRevocation, RevocationMade } from '../../ports.ts'
import { endingReasonOf } from './cut-offs.ts'
import { endAll } from './end-tokens.ts'
import { once } from '../registers/idempotency.ts'
import type { Statements } from '../sqlite/statements.ts'
import type { Transaction } from '../sqlite/transaction.ts'

type Row = {
  id: string
  conditions: string
  reason: number
  at: number
  state: 'open' | 'closed'
  moved: number
  actor: string
  note: string | null
}

const SELECT = `select x.revocation_id as id, x.conditions, x.reason, x.at, x.state, x.moved, a.actor, a.note
  from cutoff x join act a on a.n = x.act where x.revocation_id = ?`

// The numbers that tokens carry, and the names that people know them by.
const NUMBER = {
  agent: 'select n from agent where id = ?',
  credential: 'select n from credential where id = ?',
  key: 'select n from signing_key where kid = ?',
} as const
const NAME = {
  agent: 'select id as name from agent where n = ?',
  credential: 'select id as name from credential where n = ?',
  key: 'select kid as name from signing_key where n = ?',
} as const

const numberOf = (sql: Statements, what: keyof typeof NUMBER, name: string | null): number | null | undefined =>
  name === null ? null : sql<{ n: number }>(NUMBER[what]).get(name)?.n

const nameOf = (sql: Statements, what: keyof typeof NAME, n: number | null): string | null => {
  if (n === null) return null
  const row = sql<{ name: string }>(NAME[what]).get(n)
  if (row === undefined) throw new Error(`A revocation names ${what} ${n}, which is not there.`)
  return row.name
}

type Seen = { readonly sql: Statements; readonly now: Milliseconds }

/** The conditions by the store's own numbers. A name that nothing has is an obstacle: it would end nothing, in silence. */
export const resolveConditions = (
  { sql, now }: Seen,
  { agentId, credentialId, kid, scope, audience, issuedBefore }: RevocationConditions,
): CutOffConditions | RevocationObstacle => {
  const agent = numberOf(sql, 'agent', agentId)
  if (agent === undefined) return 'unknown_agent'
  const credential = numberOf(sql, 'credential', credentialId)
  if (credential === undefined) return 'unknown_credential'
  const key = numberOf(sql, 'key', kid)
  if (key === undefined) return 'unknown_key'
  // Tokens that are yet to be issued are not covered: a time to come would promise what does not happen.
  if (issuedBefore !== null && issuedBefore > now) return 'issued_before_in_future'
  return { ...NO_CONDITION, agent, credential, key, scope, audience, before: issuedBefore }
}

const conditionsOf = (sql: Statements, text: string): RevocationConditions => {
  const { agent, credential, key, scope, audience, before } = JSON.parse(text) as CutOffConditions // written by endAll
  return {
    agentId: nameOf(sql, 'agent', agent),
    credentialId: nameOf(sql, 'credential', credential),
    scope,
    audience,
    kid: nameOf(sql, 'key', key),
    issuedBefore: before,
  }
}

const revocationOf = (sql: Statements, { id, conditions, reason, at, state, moved, actor, note }: Row): Revocation => ({
  id,
  conditions: conditionsOf(sql, conditions),
  reason: endingReasonOf(reason),
  note,
  createdBy: JSON.parse(actor) as Actor, // written by recordAct from the same type
  createdAt: at,
  state,
  tokensMoved: moved,
})

export const showRevocation = (sql: Statements, id: string): Revocation | undefined => {
  const row = sql<Row>(SELECT).get(id)
  return row === undefined ? undefined : revocationOf(sql, row)
}

export type CreateRevocation = { readonly revocation: NewRevocation; readonly act: Act }

const make = (tx: Transaction, { revocation, act }: CreateRevocation, conditions: CutOffConditions): Revocation => {
  const { id, reason } = revocation
  const seq = endAll(tx, { conditions, reason, act, revocationId: id })
  tx.audit(act, id, { seq, conditions: revocation.conditions, reason })
  const made = showRevocation(tx.sql, id)
  if (made === undefined) throw new Error('A revocation that was just made is not there.')
  return made
}

type Existing = { readonly outcome: 'existing'; readonly revocation: Revocation }

const findExisting = (
  tx: Transaction,
  id: string,
  conditions: CutOffConditions,
): Existing | 'other_conditions' | undefined => {
  const existing = tx.sql<Row>(SELECT).get(id)
  if (existing === undefined) return undefined
  // Both texts were made from one literal: their members stand in one order.
  if (existing.conditions !== JSON.stringify(conditions)) return 'other_conditions'
  return { outcome: 'existing', revocation: revocationOf(tx.sql, existing) }
}

/**
 * Of two callers with one id the second is told of the first; nothing ends twice, and nothing else ends. What is found
 * by its id was not made by the act's key, and uses none up.
 */
export const createRevocation = (
  tx: Transaction,
  create: CreateRevocation,
): RevocationMade | RevocationObstacle | MadeBefore => {
  const { act, revocation } = create
  const conditions = resolveConditions(tx, revocation.conditions)
  if (typeof conditions === 'string') return conditions
  return (
    findExisting(tx, revocation.id, conditions) ??
    once(tx, act, revocation.id, () => ({ outcome: 'created', revocation: make(tx, create, conditions) }))
  )
}
