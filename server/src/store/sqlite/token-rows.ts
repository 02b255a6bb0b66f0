// Rows of the ledger as the domain's functions need them.
import type { LedgerToken } from '../../domain/ledger.ts'
import { idOfBytes } from './rows.ts'
import type { Sets } from './sets.ts'

/** A row of `token`, without its digest. */
export type TokenRow = {
  readonly life: number
  readonly id: Buffer
  readonly agent: number
  readonly cred: number
  readonly key: number
  readonly scope: number
  readonly aud: number
  readonly seq: number
}

export const TOKEN_COLUMNS = 'life, id, agent, cred, key, scope, aud, seq'

export const ledgerTokenOf = (row: TokenRow, sets: Sets): LedgerToken => ({
  id: idOfBytes(row.id),
  lifetimeSeconds: row.life,
  agent: row.agent,
  credential: row.cred,
  key: row.key,
  scope: sets.scope(row.scope).items,
  audience: sets.audience(row.aud),
  seq: row.seq,
})
