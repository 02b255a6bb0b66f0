// Writes a group of new tokens: each only where the decision to issue it still stands.
import { LIFETIMES_MAX } from '../../domain/agent.ts'
import { makeGuard } from '../ledger/guard.ts'
import { keepProof, stateOfProof } from '../ledger/proofs.ts'
import { noteCredentialUses } from '../registers/last-uses.ts'
import { only } from '../script.ts'
import { readServiceRow } from './service-row.ts'
import { drive } from './drive.ts'
import { ASSERTION_USED, DECIDE_AGAIN, INSERTED, NO_ROOM, packReached, PROOF_LATE, PROOF_USED } from './outcomes.ts'
import { type PackedProof, type PackedTokens, type UnpackedToken, unpackTokens } from './packed-tokens.ts'
import type { SqliteTransaction } from './transaction.ts'

const INSERT = `insert into token (life, id, digest, agent, cred, key, scope, aud, seq) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`

// Every list merges one stream for each lifetime, so their number is bounded.
const keepLifetime = ({ sql }: SqliteTransaction, life: number): boolean => {
  if (sql('select 1 from lifetime where life = ?').get(life) !== undefined) return true
  const { count } = sql<{ count: number }>('select count(*) as count from lifetime').get() ?? { count: 0 }
  if (count >= LIFETIMES_MAX) return false
  sql('insert into lifetime values (?)').run(life)
  return true
}

const NOT_TAKEN = {
  dpop: { used: PROOF_USED, late: PROOF_LATE },
  // One outcome: why an assertion is refused is nobody's business.
  assertion: { used: ASSERTION_USED, late: ASSERTION_USED },
} as const

/** The outcome of the first proof that may not get a token; undefined where all may. */
const refuseProofs = (tx: SqliteTransaction, proofs: readonly PackedProof[]): number | undefined => {
  for (const proof of proofs) {
    const state = drive(tx.sql, stateOfProof(tx, proof))
    if (state !== 'unused') return NOT_TAKEN[proof.kind][state]
  }
  return undefined
}

const NO_PROOFS: readonly PackedProof[] = []

const VERSION = 'pragma data_version'

const guardOf = (tx: SqliteTransaction, { limits }: PackedTokens) => {
  if (limits.size === 0) return undefined
  // Another process may have ended tokens, and then nothing is remembered of the live ones.
  tx.live.follow(drive(tx.sql, only<{ data_version: number }>(VERSION)).data_version)
  return makeGuard(tx, limits)
}

/** Keeps what the tokens share, once for the group; then writes a token, where its proofs and the limits of its agent allow it. */
const makeInsert = (tx: SqliteTransaction, packed: PackedTokens, seq: number) => {
  const lifetimes = new Map<number, boolean>()
  const scopes = packed.scopes.map(text => drive(tx.sql, tx.sets.keepScope(text, tx.now)))
  const audiences = packed.audiences.map(members => drive(tx.sql, tx.sets.keepAudience(members, tx.now)))
  const guard = guardOf(tx, packed)
  const statement = tx.sql(INSERT)
  const insert = (token: UnpackedToken, proofs: readonly PackedProof[]): number => {
    const { life, id, digest, agent, credential, key, scope, audience } = token
    const hasLifetime = lifetimes.get(life) ?? keepLifetime(tx, life)
    lifetimes.set(life, hasLifetime)
    const [scopeSet, audienceSet] = [scopes[scope], audiences[audience]]
    if (!hasLifetime || scopeSet === null || audienceSet === null) return NO_ROOM
    // First: a proof that was used must end no token of the agent to make room.
    const refused = refuseProofs(tx, proofs)
    if (refused !== undefined) return refused
    const reached = guard === undefined ? undefined : drive(tx.sql, guard.admit(token))
    if (reached !== undefined) return packReached(reached)
    statement.run(life, id, digest, agent, credential, key, scopeSet, audienceSet, seq)
    if (guard !== undefined) drive(tx.sql, guard.count(token))
    for (const proof of proofs) drive(tx.sql, keepProof(proof))
    return INSERTED
  }
  const settle = (): void => (guard === undefined ? undefined : drive(tx.sql, guard.settle()))
  return { insert, settle }
}

/** One outcome a token, in order; outcomes.ts reads them. What one token lacks is not the others' fault. */
export const insertTokens = (tx: SqliteTransaction, packed: PackedTokens): Uint32Array => {
  const tokens = unpackTokens(packed.rows)
  const { seq } = readServiceRow(tx.sql)
  if (!tokens.some(token => token.seq === seq)) return new Uint32Array(tokens.length).fill(DECIDE_AGAIN)
  const { insert, settle } = makeInsert(tx, packed, seq)
  const proofs = Map.groupBy(packed.proofs, ({ row }) => row)
  const outcomes = Uint32Array.from(tokens, (token, n) =>
    token.seq === seq ? insert(token, proofs.get(n) ?? NO_PROOFS) : DECIDE_AGAIN,
  )
  settle()
  const got = tokens.filter((_, n) => outcomes[n] === INSERTED)
  drive(tx.sql, noteCredentialUses(tx, new Set(got.map(({ credential }) => credential))))
  return outcomes
}
