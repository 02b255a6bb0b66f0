// DPoP proofs and client assertions that were used: each may be used once (RFC 9449 §11.1, RFC 7523 §5.1), whichever
// thread or process it is sent to.
import { monotonicMs } from '../sqlite/clock.ts'
import type { SingleUse } from '../../ports/secret-registers.ts'
import type { Transaction, WritingConnection } from '../sqlite/transaction.ts'

/**
 * Whether the proof may be used: `late` is one that could have been forgotten by now. What is taken and what is
 * forgotten is told by one clock, that of transactions.
 */
export const stateOfProof = ({ sql, now }: Transaction, { id, until }: SingleUse): 'unused' | 'used' | 'late' => {
  if (now > until) return 'late'
  return sql('select 1 from used_proof where id = unhex(?)').get(id) === undefined ? 'unused' : 'used'
}

/** Remembers the proof, in the transaction of what it was used for. */
export const keepProof = ({ sql }: Transaction, { id, until }: SingleUse): void =>
  void sql('insert into used_proof (id, until) values (unhex(?), ?)').run(id, until)

export type UseAssertion = { readonly assertion: SingleUse }

/** Uses an assertion up for something that is no token. */
export const useAssertion = (tx: Transaction, { assertion }: UseAssertion): 'first_use' | 'used' => {
  if (stateOfProof(tx, assertion) !== 'unused') return 'used'
  keepProof(tx, assertion)
  return 'first_use'
}

/** Forgotten in one step of the upkeep. */
export const PROOFS_A_STEP = 500
const FORGET_EVERY_MS = 5000

const FORGET = `delete from used_proof
  where id in (select id from used_proof where until < ? order by until limit ${PROOFS_A_STEP})`

/** Forgets proofs that are too old to be taken, oldest first. */
export const forgetProofs = ({ sql, now }: Transaction): 'more' | 'nothing_left' =>
  sql(FORGET).run(now).changes === PROOFS_A_STEP ? 'more' : 'nothing_left'

/** Tells every few seconds, and while there are more at once, whether a step is due; `done` is called after one. */
export const proofsDue = ({ sql, clock }: WritingConnection) => {
  let doneAt = Number.NEGATIVE_INFINITY
  return {
    isDue: (): boolean =>
      monotonicMs() - doneAt >= FORGET_EVERY_MS &&
      sql('select 1 from used_proof where until < ? limit 1').get(clock()) !== undefined,
    done: (): void => {
      doneAt = monotonicMs()
    },
  }
}
