// DPoP proofs that got a token: each gets one only (RFC 9449 §11.1), whichever thread or process it is sent to.
import { monotonicMs } from './clock.ts'
import type { PackedProof } from './rows.ts'
import type { Transaction, WritingConnection } from './transaction.ts'

/**
 * Whether the proof may get a token: `late` is one that could have been forgotten by now. What is taken and what is
 * forgotten is told by one clock, that of transactions.
 */
export const stateOfProof = ({ sql, now }: Transaction, { id, until }: PackedProof): 'unused' | 'used' | 'late' => {
  if (now > until) return 'late'
  return sql('select 1 from dpop_proof where id = unhex(?)').get(id) === undefined ? 'unused' : 'used'
}

/** Remembers the proof, in the transaction of its token. */
export const keepProof = ({ sql }: Transaction, { id, until }: PackedProof): void =>
  void sql('insert into dpop_proof (id, until) values (unhex(?), ?)').run(id, until)

/** Forgotten in one step of the upkeep. */
export const PROOFS_A_STEP = 500
const FORGET_EVERY_MS = 5000

const FORGET = `delete from dpop_proof
  where id in (select id from dpop_proof where until < ? order by until limit ${PROOFS_A_STEP})`

/** Forgets proofs that are too old to be taken, oldest first. */
export const forgetProofs = ({ sql, now }: Transaction): 'more' | 'nothing_left' =>
  sql(FORGET).run(now).changes === PROOFS_A_STEP ? 'more' : 'nothing_left'

/** Tells every few seconds, and while there are more at once, whether a step is due; `done` is called after one. */
export const proofsDue = ({ sql, clock }: WritingConnection) => {
  let doneAt = Number.NEGATIVE_INFINITY
  return {
    isDue: (): boolean =>
      monotonicMs() - doneAt >= FORGET_EVERY_MS &&
      sql('select 1 from dpop_proof where until < ? limit 1').get(clock()) !== undefined,
    done: (): void => {
      doneAt = monotonicMs()
    },
  }
}
