// What decides, in the transaction that writes them, whether new tokens may be: there is room for what they are of, and
// what they were asked for with is unused. The limits of their agents are guard.ts's.
import { LIFETIMES_MAX } from '../../domain/clients/agent.ts'
import type { InsertOutcome } from '../../ports/ports.ts'
import type { SingleUse } from '../../ports/secret-repositories.ts'
import { first, only, run, type Program } from '../statement-program.ts'
import type { Seen } from '../snapshot.ts'
import { stateOfProof } from './proofs.ts'

/** Keeps a lifetime in use; false where it is one too many: every list merges one stream for each. */
export function* keepLifetime(life: number): Program<boolean> {
  if ((yield* first('select 1 as found from lifetime where life = ?', life)) !== undefined) return true
  const { count } = yield* only<{ count: number }>('select count(*) as count from lifetime')
  if (count >= LIFETIMES_MAX) return false
  yield* run('insert into lifetime (life) values (?)', life)
  return true
}

/** What a token is asked for with that may be used once: a DPoP proof, or the assertion of its client. */
export type TokenUse = SingleUse & { readonly kind: 'dpop' | 'assertion' }

const NOT_TAKEN = {
  dpop: { used: 'proof_used', late: 'proof_late' },
  // One outcome: why an assertion is refused is nobody's business.
  assertion: { used: 'assertion_used', late: 'assertion_used' },
} as const

type UseRefusal = Extract<InsertOutcome, 'proof_used' | 'proof_late' | 'assertion_used'>

/**
 * The outcome of the first that may not get a token; undefined where all may. Ask it before the limits of the agent: what
 * was used must end no token of the agent to make room.
 */
export function* refuseUses({ now }: Pick<Seen, 'now'>, uses: readonly TokenUse[]): Program<UseRefusal | undefined> {
  for (const use of uses) {
    const state = yield* stateOfProof({ now }, use)
    if (state !== 'unused') return NOT_TAKEN[use.kind][state]
  }
  return undefined
}
