// A client of another server, read from its export: what this service needs to know of it.
import type { SecretForm } from './foreign-hash.ts'
import type { Milliseconds, Seconds } from '../../../../api/values/time.ts'

/** Why a client could get no token by the client-credentials grant there, or not by a secret: it is passed over. */
export type SkipReason =
  | 'other_protocol'
  | 'public_client'
  | 'bearer_only'
  | 'no_client_credentials'
  | 'other_authentication'

export type ForeignClient = {
  readonly clientId: string
  readonly skip: SkipReason | null
  /** What it is called there; null where it is not. */
  readonly name: string | null
  readonly description: string | null
  readonly owner: string | null
  readonly isDisabled: boolean
  /** The secret or its hash; null where the export does not hold it. */
  readonly secret: { readonly form: SecretForm; readonly text: string } | null
  /** Null: never. NaN: at a time that cannot be read. */
  readonly secretExpiresAt: Milliseconds | null
  /** What it got where it asked for nothing. */
  readonly defaultScopes: readonly string[]
  /** What it may ask for besides. */
  readonly optionalScopes: readonly string[]
  readonly audiences: readonly string[]
  /** Null: the server's. NaN: it has one, but not one that can be read. */
  readonly lifetimeSeconds: Seconds | null
}

/** A text that says something, without the spaces around it. */
export const textOrNull = (text: string | null | undefined): string | null => {
  const trimmed = text?.trim() ?? ''
  return trimmed === '' ? null : trimmed
}
