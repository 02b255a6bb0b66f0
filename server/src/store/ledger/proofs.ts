// DPoP proofs and assertions, and JWTs of issuers, that were used: each may be used once (RFC 9449 §11.1, RFC 7523 §5.1),
// whichever thread or process it is sent to.
import type { SingleUse } from '../../ports/secret-repositories.ts'
import { bytesOfHex } from '../rows.ts'
import { first, run, type Program } from '../statement-program.ts'
import type { Seen } from '../snapshot.ts'

type Moment = Pick<Seen, 'now'>

/**
 * Whether the proof may be used: `late` is one that could have been forgotten by now. What is taken and what is
 * forgotten is decided by one clock, that of transactions.
 */
export function* stateOfProof({ now }: Moment, { id, until }: SingleUse): Program<'unused' | 'used' | 'late'> {
  if (now > until) return 'late'
  const known = yield* first('select 1 as found from used_proof where id = ?', bytesOfHex(id))
  return known === undefined ? 'unused' : 'used'
}

/** Remembers the proof, in the transaction of what it was used for. */
export const keepProof = ({ id, until }: SingleUse): Program<number> =>
  run('insert into used_proof (id, until) values (?, ?)', bytesOfHex(id), until)

type UseAssertion = { readonly assertion: SingleUse }

/** Uses an assertion up for something that is no token. */
export function* useAssertion(tx: Moment, { assertion }: UseAssertion): Program<'first_use' | 'used'> {
  if ((yield* stateOfProof(tx, assertion)) !== 'unused') return 'used'
  yield* keepProof(assertion)
  return 'first_use'
}

/** Forgotten in one step of the maintenance. */
const PROOFS_A_STEP = 500

const FORGET = `delete from used_proof
  where id in (select id from used_proof where until < ? order by until limit ${PROOFS_A_STEP})`

/** Forgets proofs that are too old to be taken, oldest first. */
export function* forgetProofs({ now }: Moment): Program<'more' | 'nothing_left'> {
  return (yield* run(FORGET, now)) === PROOFS_A_STEP ? 'more' : 'nothing_left'
}

/** Whether there are any that are too old. */
export function* areProofsOld({ now }: Moment): Program<boolean> {
  return (yield* first('select 1 as found from used_proof where until < ? limit 1', now)) !== undefined
}
