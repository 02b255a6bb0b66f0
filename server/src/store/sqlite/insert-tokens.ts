// Writes a group of new tokens: each only where the decision to issue it still stands.
import { LIFETIMES_MAX } from '../../domain/agent.ts'
import { noteCredentialUses } from './last-uses.ts'
import { keepProof, stateOfProof } from './proofs.ts'
import { type PackedProof, type PackedTokens, type UnpackedToken, unpackTokens } from './rows.ts'
import type { Transaction } from './transaction.ts'

export const DECIDE_AGAIN = 0
export const INSERTED = 1
export const NO_ROOM = 2
export const PROOF_USED = 3
export const PROOF_LATE = 4

const INSERT = `insert into token (life, id, digest, agent, cred, key, scope, aud, seq) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`

// Every list merges one stream for each lifetime, so their number is bounded.
const keepLifetime = ({ sql }: Transaction, life: number): boolean => {
  if (sql('select 1 from lifetime where life = ?').get(life) !== undefined) return true
  const { count } = sql<{ count: number }>('select count(*) as count from lifetime').get() ?? { count: 0 }
  if (count >= LIFETIMES_MAX) return false
  sql('insert into lifetime values (?)').run(life)
  return true
}

const NOT_TAKEN = { used: PROOF_USED, late: PROOF_LATE } as const

type InsertOne = (token: UnpackedToken, proof: PackedProof | undefined) => number

/** Keeps what the tokens share, once for the group; then writes a token. NO_ROOM where a bound of the ledger is reached. */
const makeInsert = (tx: Transaction, packed: PackedTokens, seq: number): InsertOne => {
  const lifetimes = new Map<number, boolean>()
  const scopes = packed.scopes.map(text => tx.sets.keepScope(text, tx.now))
  const audiences = packed.audiences.map(members => tx.sets.keepAudience(members, tx.now))
  const insert = tx.sql(INSERT)
  return ({ life, id, digest, agent, credential, key, scope, audience }, proof) => {
    const hasLifetime = lifetimes.get(life) ?? keepLifetime(tx, life)
    lifetimes.set(life, hasLifetime)
    const [scopeSet, audienceSet] = [scopes[scope], audiences[audience]]
    if (!hasLifetime || scopeSet === null || audienceSet === null) return NO_ROOM
    const state = proof === undefined ? 'unused' : stateOfProof(tx, proof)
    if (state !== 'unused') return NOT_TAKEN[state]
    insert.run(life, id, digest, agent, credential, key, scopeSet, audienceSet, seq)
    if (proof !== undefined) keepProof(tx, proof)
    return INSERTED
  }
}

/** One outcome a row, in order. What one token lacks is not the others' fault. */
export const insertTokens = (tx: Transaction, packed: PackedTokens): Uint8Array => {
  const tokens = unpackTokens(packed.rows)
  const seq = tx.seq()
  if (!tokens.some(token => token.seq === seq)) return new Uint8Array(tokens.length).fill(DECIDE_AGAIN)
  const insert = makeInsert(tx, packed, seq)
  const proofs = new Map(packed.proofs.map(proof => [proof.row, proof]))
  const outcomes = Uint8Array.from(tokens, (token, n) =>
    token.seq === seq ? insert(token, proofs.get(n)) : DECIDE_AGAIN,
  )
  const got = tokens.filter((_, n) => outcomes[n] === INSERTED)
  noteCredentialUses(tx, new Set(got.map(({ credential }) => credential)))
  return outcomes
}
