// Secrets that were found in the open: whose they are, and their end with everything that they got.
import type { Act } from '../../domain/audit/act.ts'
import type { ApiKey } from '../../domain/clients/api-key.ts'
import { CREDENTIALS_MAX } from '../../domain/clients/credential.ts'
import type { Sha256 } from '../../domain/text/text.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { LeakedSecret, SecretKind } from '../../ports/secret-repositories.ts'
import type { Snapshot } from '../snapshot.ts'
import { all, only, type Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'
import { readApiKeyByHash, revokeKeyRow } from './api-keys.ts'
import { type CredentialRow, readCredentialByHash, revokeRow } from './credentials.ts'

type Found = { readonly secret: SecretKind; readonly hash: Sha256 }

type RevokeLeaked = Found & { readonly act: Act }

const AGENT = 'select n, name, owner from agent where id = ?'
const OTHERS = `select id from credential where agent = ? and n <> ? and revoked_at is null and suspended_at is null
  and (expires_at is null or expires_at > ?) order by n limit ?`

type AgentRow = { readonly n: number; readonly name: string; readonly owner: string | null }

function* describe(row: CredentialRow, revoked: boolean, now: Milliseconds): Program<LeakedSecret> {
  const { n, name: agentName, owner } = yield* only<AgentRow>(AGENT, row.agentId)
  const others = yield* all<{ id: string }>(OTHERS, n, row.n, now, CREDENTIALS_MAX)
  const { agentId, id, name } = row
  return { kind: 'credential', revoked, agentId, agentName, owner, id, name, otherIds: others.map(one => one.id) }
}

const describeKey = ({ id, name }: ApiKey, revoked: boolean): LeakedSecret => ({ kind: 'api_key', revoked, id, name })

/** Whose it is, and whether revoking it now would end anything. */
export const identifyLeaked = ({ secret, hash }: Found) =>
  function* ({ now }: Snapshot): Program<LeakedSecret | undefined> {
    if (secret === 'api_key') {
      const row = yield* readApiKeyByHash(hash)
      return row && describeKey(row, row.revokedAt === null)
    }
    const row = yield* readCredentialByHash(hash)
    return row && (yield* describe(row, row.revokedAt === null || row.tokensKept === 1, now))
  }

/** An expired one too: its tokens may live, and nobody may ever lengthen it. Doing it again changes nothing. */
export function* revokeLeaked(tx: Transaction, leak: RevokeLeaked): Program<LeakedSecret | undefined> {
  const { secret, hash, act } = leak
  const reason = 'secret_leaked'
  if (secret === 'api_key') {
    const row = yield* readApiKeyByHash(hash)
    return row && describeKey(row, (yield* revokeKeyRow(tx, row, { reason, act })) !== undefined)
  }
  const row = yield* readCredentialByHash(hash)
  if (row === undefined) return undefined
  const revoked = (yield* revokeRow(tx, row, { reason, keepTokens: false, act })) !== undefined
  return yield* describe(row, revoked, tx.now)
}
