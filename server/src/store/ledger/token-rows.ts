// Rows of the ledger as the domain's functions need them.
import type { TokenAddress } from '../../domain/claims.ts'
import type { LedgerToken } from '../../domain/ledger.ts'
import type { Milliseconds, Seconds } from '../../domain/time.ts'
import { idOfBytes } from '../sqlite/rows.ts'
import type { Sets } from './sets.ts'

/** What a row of `token` says beside its key and its digest. */
export type TokenNumbers = {
  readonly agent: number
  readonly cred: number
  readonly key: number
  readonly scope: number
  readonly aud: number
  readonly seq: number
}

/** A row of `token`, without its digest. */
export type TokenRow = TokenNumbers & { readonly life: number; readonly id: Buffer }

export const TOKEN_COLUMNS = 'life, id, agent, cred, key, scope, aud, seq'

export const ledgerTokenAt = ({ id, lifetimeSeconds }: TokenAddress, row: TokenNumbers, sets: Sets): LedgerToken => ({
  id,
  lifetimeSeconds,
  agent: row.agent,
  credential: row.cred,
  key: row.key,
  scope: sets.scope(row.scope).items,
  audience: sets.audience(row.aud),
  seq: row.seq,
})

export const addressOfRow = ({ id, life }: Pick<TokenRow, 'id' | 'life'>): TokenAddress => ({
  id: idOfBytes(id),
  lifetimeSeconds: life,
})

export const ledgerTokenOf = (row: TokenRow, sets: Sets): LedgerToken => ledgerTokenAt(addressOfRow(row), row, sets)

const ID_TIME_BYTES = 6

/** The time of issue that the bytes of a token id carry. */
export const issuedAtIn = (id: Buffer): Milliseconds => id.readUIntBE(0, ID_TIME_BYTES)

/** The claim `exp` of a row. */
export const expiryOf = ({ id, life }: Pick<TokenRow, 'id' | 'life'>): Seconds =>
  Math.floor(issuedAtIn(id) / 1000) + life
