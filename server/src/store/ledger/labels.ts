// What the numbers in a row stand for on the wire. None of it ever changes, so a serving thread remembers it.
import type { TokenAddress } from '../../domain/claims.ts'
import type { TokenRecord } from '../../domain/page.ts'
import type { PublicJwk } from '../../domain/signing-key.ts'
import { issuedSecondOf } from '../../domain/token-id.ts'
import type { Sets } from './sets.ts'
import { parsePublicJwk } from '../signing-keys/signing-keys.ts'
import type { Statements } from '../sqlite/statements.ts'
import { addressOfRow, type TokenNumbers, type TokenRow } from './token-rows.ts'

const REMEMBERED_MAX = 65_536

type AgentLabel = { readonly id: string; readonly clientId: string }

const remembered = <T>(read: (n: number) => T | undefined, what: string): ((n: number) => T) => {
  const cache = new Map<number, T>()
  return n => {
    const known = cache.get(n)
    if (known !== undefined) return known
    const found = read(n)
    if (found === undefined) throw new Error(`The ledger names ${what} ${n}, which is not there.`)
    if (cache.size >= REMEMBERED_MAX) cache.clear()
    cache.set(n, found)
    return found
  }
}

export type Labels = {
  readonly publicJwk: (key: number) => PublicJwk
  readonly record: (row: Omit<TokenRow, 'seq'>, sets: Sets) => TokenRecord
  /** The same of a row whose key is known. */
  readonly recordAt: (address: TokenAddress, row: Omit<TokenNumbers, 'seq'>, sets: Sets) => TokenRecord
}

export const labelsOf = (sql: Statements): Labels => {
  const agent = remembered(
    n => sql<AgentLabel>('select id, client_id as clientId from agent where n = ?').get(n),
    'agent',
  )
  const credential = remembered(
    n => sql<{ id: string }>('select id from credential where n = ?').get(n)?.id,
    'credential',
  )
  const publicJwk = remembered(n => {
    const row = sql<{ json: string }>('select public_jwk as json from signing_key where n = ?').get(n)
    return row === undefined ? undefined : parsePublicJwk(row.json)
  }, 'signing key')
  const recordAt: Labels['recordAt'] = ({ id, lifetimeSeconds }, row, sets) => {
    const { id: agentId, clientId } = agent(row.agent)
    const issuedAt = issuedSecondOf(id)
    return {
      id,
      agentId,
      clientId,
      credentialId: credential(row.cred),
      scope: sets.scope(row.scope).text,
      audience: sets.audience(row.aud),
      kid: publicJwk(row.key).kid,
      issuedAt,
      expiresAt: issuedAt + lifetimeSeconds,
    }
  }
  return { publicJwk, record: (row, sets) => recordAt(addressOfRow(row), row, sets), recordAt }
}
