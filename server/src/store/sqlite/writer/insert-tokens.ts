// Writes a group of new tokens: each only where the decision to issue it still stands.
import { makeQuotaCheck } from '../../ledger/quota-check.ts'
import { keepLifetime, refuseUses } from '../../ledger/new-tokens.ts'
import { keepProof } from '../../ledger/proofs.ts'
import { noteCredentialUses } from '../../repositories/last-uses.ts'
import { only } from '../../statement-program.ts'
import { readServiceRow } from '../reads/service-row.ts'
import { runProgram } from '../connection/run-program.ts'
import { DECIDE_AGAIN, INSERTED, NO_ROOM, packReached, REFUSED } from './outcomes.ts'
import { type PackedProof, type PackedTokens, type UnpackedToken, unpackTokens } from './packed-tokens.ts'
import type { SqliteTransaction } from '../connection/transaction.ts'

const INSERT = `insert into token (life, id, digest, agent, cred, key, scope, aud, seq) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`

const NO_PROOFS: readonly PackedProof[] = []

const VERSION = 'pragma data_version'

const quotaCheckOf = (tx: SqliteTransaction, { limits }: PackedTokens) => {
  if (limits.size === 0) return undefined
  // Another process may have ended tokens, and then nothing is remembered of the live ones.
  tx.live.follow(runProgram(tx.sql, only<{ data_version: number }>(VERSION)).data_version)
  return makeQuotaCheck(tx, limits)
}

/** Keeps what the tokens share, once for the group; then writes a token, where its proofs and the limits of its agent allow it. */
const makeInsert = (tx: SqliteTransaction, packed: PackedTokens, seq: number) => {
  const lifetimes = new Map<number, boolean>()
  const scopes = packed.scopes.map(text => runProgram(tx.sql, tx.sets.keepScope(text, tx.now)))
  const audiences = packed.audiences.map(members => runProgram(tx.sql, tx.sets.keepAudience(members, tx.now)))
  const guard = quotaCheckOf(tx, packed)
  const statement = tx.sql(INSERT)
  const insert = (token: UnpackedToken, proofs: readonly PackedProof[]): number => {
    const { life, id, digest, agent, credential, key, scope, audience } = token
    const hasLifetime = lifetimes.get(life) ?? runProgram(tx.sql, keepLifetime(life))
    lifetimes.set(life, hasLifetime)
    const [scopeSet, audienceSet] = [scopes[scope], audiences[audience]]
    if (!hasLifetime || scopeSet === null || audienceSet === null) return NO_ROOM
    const refused = proofs.length === 0 ? undefined : runProgram(tx.sql, refuseUses(tx, proofs))
    if (refused !== undefined) return REFUSED[refused]
    const reached = guard === undefined ? undefined : runProgram(tx.sql, guard.admit(token))
    if (reached !== undefined) return packReached(reached)
    statement.run(life, id, digest, agent, credential, key, scopeSet, audienceSet, seq)
    if (guard !== undefined) runProgram(tx.sql, guard.count(token))
    for (const proof of proofs) runProgram(tx.sql, keepProof(proof))
    return INSERTED
  }
  const settle = (): void => (guard === undefined ? undefined : runProgram(tx.sql, guard.settle()))
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
  runProgram(tx.sql, noteCredentialUses(tx, new Set(got.map(({ credential }) => credential))))
  return outcomes
}
