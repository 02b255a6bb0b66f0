// Rows of the ledger as the domain's functions need them.
import type { TokenAddress } from '../../domain/ledger/claims.ts'
import type { LedgerToken } from '../../domain/ledger/ledger.ts'
import type { Milliseconds, Seconds } from '../../../../api/values/time.ts'
import { recall } from '../name-cache.ts'
import { idOfBytes } from '../rows.ts'
import type { Program } from '../statement-program.ts'
import type { Sets } from './interned-sets.ts'
import type { StoredAncestor } from './lineages.ts'

/** What a row of `token` says beside its key and its digest. */
export type TokenNumbers = {
  readonly agent: number
  readonly cred: number
  readonly key: number
  readonly scope: number
  readonly aud: number
  readonly seq: number
  /** Null if the token has no parent. */
  readonly lineage: number | null
  /** Null where it acts for an agent. */
  readonly principal: number | null
}

/** A row of `token`, without its digest. */
export type TokenRow = TokenNumbers & { readonly life: number; readonly id: Uint8Array }

export const TOKEN_COLUMNS = 'life, id, agent, cred, key, scope, aud, seq, lineage, principal'

/** What the sets that a row names hold. */
type RowSets = Pick<LedgerToken, 'scope' | 'audience' | 'issuer' | 'ancestors'>

export const NO_ANCESTORS: readonly StoredAncestor[] = []

export const tokenOf = (
  { id, lifetimeSeconds }: TokenAddress,
  row: TokenNumbers,
  { scope, audience, issuer, ancestors }: RowSets,
): LedgerToken => ({
  id,
  lifetimeSeconds,
  agent: row.agent,
  credential: row.cred,
  key: row.key,
  scope,
  audience,
  seq: row.seq,
  principal: row.principal,
  issuer,
  ancestors,
})

export const addressOfRow = ({ id, life }: Pick<TokenRow, 'id' | 'life'>): TokenAddress => ({
  id: idOfBytes(id),
  lifetimeSeconds: life,
})

/**
 * What a row says, where its sets are cached. Of many rows ask this first: a statement program for each costs as much as the
 * rest of a list.
 */
export const knownTokenOf = (row: TokenRow, sets: Sets): LedgerToken | undefined => {
  const [scope, audience] = [sets.scope.known(row.scope), sets.audience.known(row.aud)]
  const ancestors = row.lineage === null ? NO_ANCESTORS : sets.lineage.known(row.lineage)
  const issuer = row.principal === null ? null : sets.issuer.known(row.principal)
  if (scope === undefined || audience === undefined || ancestors === undefined || issuer === undefined) return undefined
  return tokenOf(addressOfRow(row), row, { scope: scope.items, audience, issuer, ancestors })
}

export function* ledgerTokenOf(row: TokenRow, sets: Sets): Program<LedgerToken> {
  const { items: scope } = yield* recall(sets.scope, row.scope)
  const audience = yield* recall(sets.audience, row.aud)
  const ancestors = row.lineage === null ? NO_ANCESTORS : yield* recall(sets.lineage, row.lineage)
  const issuer = row.principal === null ? null : yield* recall(sets.issuer, row.principal)
  return tokenOf(addressOfRow(row), row, { scope, audience, issuer, ancestors })
}

const ID_TIME_BYTES = 6

/** The time of issue that the bytes of a token id carry. */
export const issuedAtIn = (id: Uint8Array): Milliseconds =>
  Buffer.from(id.buffer, id.byteOffset, id.byteLength).readUIntBE(0, ID_TIME_BYTES)

/** The claim `exp` of a row. */
export const expiryOf = ({ id, life }: Pick<TokenRow, 'id' | 'life'>): Seconds =>
  Math.floor(issuedAtIn(id) / 1000) + life
