// The repositories of secrets: credentials of agents, API keys, leaked secrets, and what a restore has suspended.
import type { Act } from '../domain/audit/act.ts'
import type { Acceptance, RestoreState, Suspended } from '../domain/restore.ts'
import type { ApiKey } from '../domain/clients/api-key.ts'
import type { ClientTrust } from '../domain/clients/client-trust.ts'
import type { AgentCredential, CountedCredential } from '../domain/clients/credential.ts'
import type { CredentialReason } from '../../../api/values/credentials.ts'
import type { ApiKeyFilters, KeyedRequest, NameFilters } from '../domain/lists/page.ts'
import type { Expiry } from '../domain/ledger/expiry.ts'
import type { Digest, Sha256 } from '../domain/text/text.ts'
import type { AlreadyExists } from '../domain/idempotency.ts'
import type { Milliseconds, MonotonicMilliseconds } from '../../../api/values/time.ts'

/** The kind of secret, by its prefix. */
export type SecretKind = 'client_secret' | 'api_key'

export type NewCredential = {
  readonly id: string
  readonly name: string
  /** Null if the credential has `trust` instead of a secret. */
  readonly secretHash: Sha256 | null
  readonly trust?: ClientTrust
  readonly expiry: Expiry
}

/** The live credential of another workload whose subjects overlap. */
export type SubjectTaken = { readonly taken: { readonly agentId: string; readonly id: string } }

/**
 * `too_many`: the agent would have too many live ones. `expired`: the new one would already be expired.
 * `caller_ended`: the caller's API key is no longer live.
 */
export type CredentialProblem = 'unknown' | 'too_many' | 'expired' | 'caller_ended'

export type Rotation<New> = {
  /** The one to be replaced. */
  readonly id: string
  readonly graceMs: number
  /** It gets the name of the one that it replaces. */
  readonly replacement: Omit<New, 'name'>
}

export type Rotated<T> = { readonly replacement: T; readonly replaced: T }

export type CredentialRevocation = {
  readonly agentId: string
  readonly id: string
  readonly reason: CredentialReason
  /** Whether its tokens live on. */
  readonly keepTokens: boolean
}

export interface CredentialRepository {
  /** Creates a credential. Of two callers with one idempotency key only the first creates. */
  create(
    agentId: string,
    credential: NewCredential,
    act: Act,
  ): Promise<AgentCredential | CredentialProblem | SubjectTaken | AlreadyExists>
  /** Counts only tokens for these audiences, if the caller is limited to them; null: all. */
  show(agentId: string, id: string, audiences: readonly string[] | null): Promise<CountedCredential | undefined>
  /** Lists at most `limit`, oldest first, after the one with the id `after`; undefined if there is no such agent. */
  list(agentId: string, page: CredentialPage): Promise<readonly CountedCredential[] | undefined>
  /** Creates another, and lets the old one expire after the grace. `not_live`: it is revoked or has expired. */
  rotate(
    agentId: string,
    rotation: Rotation<NewCredential>,
    act: Act,
  ): Promise<Rotated<AgentCredential> | CredentialProblem | 'not_live' | 'no_secret' | AlreadyExists>
  /** Revokes it and ends its tokens unless they are kept, effective when acknowledged. */
  revoke(revocation: CredentialRevocation, act: Act): Promise<AgentCredential | undefined>
  /** The unrevoked credential that trusts this subject of this issuer; there is at most one. */
  findWorkload(issuer: string, subject: string): Promise<WorkloadCredential | undefined>
  /** Records the use of an assertion, durably. Of two callers one gets `first_use`. A write that has not started at `until` is not started. */
  useAssertion(assertion: SingleUse, until?: MonotonicMilliseconds): Promise<'first_use' | 'used'>
}

export type WorkloadCredential = { readonly clientId: string; readonly id: string }

/** A DPoP proof or client assertion, which may be used once; recorded while it would be accepted. */
export type SingleUse = {
  /** A digest that is unique. */
  readonly id: Digest
  /** The last time at which it is accepted. */
  readonly until: Milliseconds
}

export type CredentialPage = {
  readonly names: NameFilters
  readonly after: string | null
  readonly limit: number
  readonly audiences: readonly string[] | null
}

/** The outcome for a leaked secret. `revoked`: this call ended it, or tokens that an earlier revocation had kept. */
export type LeakedSecret =
  | {
      readonly kind: 'credential'
      readonly revoked: boolean
      readonly agentId: string
      readonly agentName: string
      readonly owner: string | null
      readonly id: string
      readonly name: string
      /** The agent's other live credentials. */
      readonly otherIds: readonly string[]
    }
  | { readonly kind: 'api_key'; readonly revoked: boolean; readonly id: string; readonly name: string }

export interface LeakedSecretRepository {
  /** What `revoke` would find; `revoked`: whether it would end anything. Changes nothing. */
  identify(secret: SecretKind, hash: Sha256): Promise<LeakedSecret | undefined>
  /** Revokes the credential or API key with this hash, expired or not, and ends its tokens; undefined if there is none. */
  revoke(secret: SecretKind, hash: Sha256, act: Act): Promise<LeakedSecret | undefined>
}

export type NewApiKey = Pick<ApiKey, 'id' | 'name' | 'permissions' | 'audiences'> & {
  readonly keyHash: Sha256
  readonly expiry: Expiry
}

/**
 * `expired`: the new key would already be expired. `caller_ended`: the caller's API key is no longer live.
 * `outlives_caller`: it would live longer than the caller's.
 */
export type ApiKeyProblem = 'expired' | 'caller_ended' | 'outlives_caller'

export interface ApiKeyRepository {
  /**
   * The keys with these SHA-256 hashes that are live now, in that order. Misses are never cached. `meanwhile` is called at
   * once with those found recently: nothing may be decided by that, but their next reads can share the statement.
   */
  find(
    keyHashes: readonly Sha256[],
    meanwhile?: (wereFound: readonly boolean[]) => void,
  ): Promise<readonly (ApiKey | undefined)[]>
  /** Creates an API key. Of two callers with one idempotency key only the first creates. */
  create(apiKey: NewApiKey, act: Act): Promise<ApiKey | ApiKeyProblem | AlreadyExists>
  show(apiKeyId: string): Promise<ApiKey | undefined>
  /** Creates another with the same permissions, and lets the old one expire after the grace. `not_live`: revoked or expired. */
  rotate(
    rotation: Rotation<Pick<NewApiKey, 'id' | 'name' | 'keyHash' | 'expiry'>>,
    act: Act,
  ): Promise<Rotated<ApiKey> | ApiKeyProblem | 'unknown' | 'not_live' | AlreadyExists>
  /** By id, after the id `after`. */
  list(request: KeyedRequest<ApiKeyFilters>): Promise<readonly ApiKey[]>
  revoke(apiKeyId: string, act: Act): Promise<ApiKey | undefined>
}

export interface RestoreRepository {
  /** The last restore, and what is still suspended; undefined if there was none. */
  state(): Promise<RestoreState | undefined>
  /** Reinstates what is suspended; returns how many of each. Of two callers the second changes nothing. */
  accept(acceptance: Acceptance, act: Act): Promise<Suspended | 'unknown'>
  /** Records that a backup of the store as of `madeAt` is complete. */
  recordBackup(madeAt: Milliseconds, act: Act): Promise<void>
}
