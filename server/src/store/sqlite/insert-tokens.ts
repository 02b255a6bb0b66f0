// Writes a group of new tokens: each only where the decision to issue it still stands.
import { LIFETIMES_MAX } from '../../domain/agent.ts'
import { Unavailable } from '../../domain/refusal.ts'
import { type PackedTokens, unpackTokens } from './rows.ts'
import type { Transaction } from './transaction.ts'

export const INSERTED = 1
export const DECIDE_AGAIN = 0

const INSERT = `insert into token (life, id, digest, agent, cred, key, scope, aud, seq) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`

// Every list merges one stream for each lifetime, so their number is bounded.
const keepLifetime = ({ sql }: Transaction, life: number): void => {
  if (sql('select 1 from lifetime where life = ?').get(life) !== undefined) return
  const { count } = sql<{ count: number }>('select count(*) as count from lifetime').get() ?? { count: 0 }
  if (count >= LIFETIMES_MAX) throw new Unavailable(`A token of ${life} s would be the ${count + 1}th lifetime in use.`)
  sql('insert into lifetime values (?)').run(life)
}

/** One outcome a row, INSERTED or DECIDE_AGAIN, in order. */
export const insertTokens = (tx: Transaction, packed: PackedTokens): Uint8Array => {
  const tokens = unpackTokens(packed.rows)
  const seq = tx.seq()
  const current = tokens.filter(token => token.seq === seq)
  if (current.length > 0) {
    for (const life of new Set(current.map(token => token.life))) keepLifetime(tx, life)
    const scopes = packed.scopes.map(text => tx.sets.keepScope(text, tx.now))
    const audiences = packed.audiences.map(members => tx.sets.keepAudience(members, tx.now))
    const insert = tx.sql(INSERT)
    for (const { life, id, digest, agent, credential, key, scope, audience } of current) {
      insert.run(life, id, digest, agent, credential, key, scopes[scope], audiences[audience], seq)
    }
  }
  return Uint8Array.from(tokens, token => (token.seq === seq ? INSERTED : DECIDE_AGAIN))
}
