// Revokes a secret that was found in the open: whatever it is of, with everything that it got.
import type { Act } from '../../domain/audit/act.ts'
import type { Sha256 } from '../../domain/text/text.ts'
import type { LeakedSecret, SecretKind } from '../../ports/secret-repositories.ts'
import type { Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'
import { readApiKeyByHash, revokeKeyRow } from './api-keys.ts'
import { readCredentialByHash, revokeRow } from './credentials.ts'

type RevokeLeaked = {
  readonly secret: SecretKind
  readonly hash: Sha256
  readonly act: Act
  readonly foundAt: string | null
}

/** An expired one too: its tokens may live, and nobody may ever lengthen it. Doing it again changes nothing. */
export function* revokeLeaked(tx: Transaction, leak: RevokeLeaked): Program<LeakedSecret | undefined> {
  const { secret, hash, act, foundAt } = leak
  const detail = { reason: 'secret_leaked', foundAt } as const
  if (secret === 'api_key') {
    const row = yield* readApiKeyByHash(hash)
    if (row === undefined) return undefined
    const revoked = (yield* revokeKeyRow(tx, row, { ...detail, act })) !== undefined
    return { kind: 'api_key', revoked, id: row.id }
  }
  const row = yield* readCredentialByHash(hash)
  if (row === undefined) return undefined
  const revoked = (yield* revokeRow(tx, row, { ...detail, keepTokens: false, act })) !== undefined
  return { kind: 'credential', revoked, agentId: row.agentId, id: row.id }
}
