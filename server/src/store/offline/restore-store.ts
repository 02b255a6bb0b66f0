// Makes a store of what a backup holds, in one transaction: whatever happened after the backup, nothing that had ended
// comes back. It ends all tokens, retires all signing keys, and suspends every caller that could get or check a token,
// and every issuer whose JWTs could be exchanged.
import type { Act } from '../../domain/audit/act.ts'
import { NO_CONDITION } from '../../domain/ledger/ledger.ts'
import { seqAfterRestore, type Suspended } from '../../domain/restore.ts'
import type { SealedSigningKey } from '../../domain/keys/signing-key.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { beginEpoch } from '../feed/open-feed.ts'
import { endAll } from '../ledger/end-tokens.ts'
import { only, run, type Program } from '../statement-program.ts'
import { StoreProblem } from '../store-problem.ts'
import { leave } from '../signing-keys/key-acts.ts'
import { insertKey, readKeysInLife } from '../signing-keys/signing-keys.ts'
import { dropAllSessions } from '../repositories/sessions.ts'
import { audit, type Transaction } from '../transaction.ts'
import { countSuspended, suspendAll } from '../repositories/suspensions.ts'

export type Restoration = {
  /** The key that signs from now on. */
  readonly key: SealedSigningKey
  readonly act: Act
  /** The time of the backup; null where the store was put back by other means. */
  readonly madeAt: Milliseconds | null
  readonly wall: Milliseconds
}

/** `seq`: every token with a smaller number is dead, those included of which this store does not know. */
export type Restored = { readonly seq: number; readonly suspended: Suspended; readonly kid: string }

function* skipNumbers(wall: Milliseconds): Program<void> {
  const { seq } = yield* only<{ seq: number }>('select seq from service')
  const next = seqAfterRestore(seq, wall)
  if (!Number.isSafeInteger(next)) throw new StoreProblem('The clock of this machine is wrong: correct it first.')
  yield* run('update service set seq = ?', next - 1)
}

/** Whatever was rotated or compromised since: no key of before is published, and none signs. */
function* retireKeys(tx: Transaction, act: Act): Program<void> {
  for (const key of yield* readKeysInLife()) {
    yield* leave(tx, key, 'gone')
    const [before, after] = [{ state: key.state }, { state: 'gone' }]
    yield* audit(tx, { ...act, kind: 'signing_key.drop' }, key.publicJwk.kid, { before, after })
  }
}

export function* restoreStore(tx: Transaction, { key, act, madeAt, wall }: Restoration): Program<Restored> {
  yield* skipNumbers(wall)
  const seq = yield* endAll(tx, { conditions: NO_CONDITION, reason: 'restored', act })
  yield* beginEpoch()
  // The backup may hold sessions that ended after it was made.
  yield* dropAllSessions()
  yield* suspendAll(tx)
  const suspended = yield* countSuspended(tx)
  const { agents, credentials, apiKeys, issuers } = suspended
  // The first entry after those of the backup.
  yield* audit(tx, act, null, { seq, backup_made_at: madeAt, agents, credentials, api_keys: apiKeys, issuers })
  yield* retireKeys(tx, act)
  yield* insertKey(tx, { key, act: { ...act, kind: 'signing_key.create' } }, { state: 'current', imported: false })
  return { seq, suspended, kid: key.publicJwk.kid }
}
