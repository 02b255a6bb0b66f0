// In this folder: parses clients of Ory Hydra and Keycloak, and plans which agents an import creates, skips or refuses.
// A client of another server, parsed from an export: what this service needs.
import type { SecretForm } from './foreign-hash.ts'
import type { Milliseconds, Seconds } from '../../../../api/values/time.ts'

/** Why a client could not use the client-credentials grant with a secret there: it is skipped. */
export type SkipReason =
  | 'other_protocol'
  | 'public_client'
  | 'bearer_only'
  | 'no_client_credentials'
  | 'other_authentication'

export type ForeignClient = {
  readonly clientId: string
  readonly skip: SkipReason | null
  /** Its name there; null if it has none. */
  readonly name: string | null
  readonly description: string | null
  readonly owner: string | null
  readonly isDisabled: boolean
  /** The secret or its hash; null if the export does not contain it. */
  readonly secret: { readonly form: SecretForm; readonly text: string } | null
  /** Null if it never expires; NaN if the time cannot be parsed. */
  readonly secretExpiresAt: Milliseconds | null
  /** Its default scopes. */
  readonly defaultScopes: readonly string[]
  /** Further scopes that it may request. */
  readonly optionalScopes: readonly string[]
  readonly audiences: readonly string[]
  /** Null where the default of the server applies; NaN if it cannot be parsed. */
  readonly lifetimeSeconds: Seconds | null
}

/** A nonempty text, without surrounding spaces. */
export const textOrNull = (text: string | null | undefined): string | null => {
  const trimmed = text?.trim() ?? ''
  return trimmed === '' ? null : trimmed
}
