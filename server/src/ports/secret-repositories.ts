// The repositories of secrets: credentials of agents, API keys, leaked secrets, and what a restore has suspended.
import type { Act } from '../domain/audit/act.ts'
import type { Acceptance, RestoreState, Suspended } from '../domain/restore.ts'
import type { ApiKey } from '../domain/clients/api-key.ts'
import type { ClientTrust } from '../domain/clients/client-trust.ts'
import type { AgentCredential, CountedCredential } from '../domain/clients/credential.ts'
import type { CredentialReason } from '../../../api/values/credentials.ts'
import type { Expiry } from '../domain/ledger/expiry.ts'
import type { Digest, Sha256 } from '../domain/text/text.ts'
import type { AlreadyExists } from '../domain/idempotency.ts'
import type { Milliseconds, MonotonicMilliseconds } from '../../../api/values/time.ts'

/** By its prefix, which says what leaked. */
export type SecretKind = 'client_secret' | 'api_key'

export type NewCredential = {
  readonly id: string
  readonly name: string
  /** Null where `trust` stands in the place of a secret. */
  readonly secretHash: Sha256 | null
  readonly trust?: ClientTrust
  readonly expiry: Expiry
}

/** The live credential of another workload whose subjects overlap. */
export type SubjectTaken = { readonly taken: { readonly agentId: string; readonly id: string } }

/**
 * `too_many`: the agent would have more live ones than it may. `expired`: the new one would never live.
 * `caller_ended`: the API key that asks for it is live no more.
 */
export type CredentialProblem = 'unknown' | 'too_many' | 'expired' | 'caller_ended'

export type Rotation<New> = {
  /** The one that is to be replaced. */
  readonly id: string
  readonly graceMs: number
  /** Its name is that of the one that it replaces. */
  readonly replacement: Omit<New, 'name'>
}

export type Rotated<T> = { readonly replacement: T; readonly replaced: T }

export type CredentialRevocation = {
  readonly agentId: string
  readonly id: string
  readonly reason: CredentialReason
  /** Whether the tokens that it got live on. */
  readonly keepTokens: boolean
}

export interface CredentialRepository {
  /** Of two callers with one key one creates. */
  create(
    agentId: string,
    credential: NewCredential,
    act: Act,
  ): Promise<AgentCredential | CredentialProblem | SubjectTaken | AlreadyExists>
  /** Where the caller may see only some audiences, only their tokens are counted; null: all. */
  show(agentId: string, id: string, audiences: readonly string[] | null): Promise<CountedCredential | undefined>
  /** At most `limit`, oldest first, after the one with the id `after`; undefined where there is no such agent. */
  list(agentId: string, page: CredentialPage): Promise<readonly CountedCredential[] | undefined>
  /** Makes another, and lets the old one expire after the grace. `not_live`: it is revoked or has expired. */
  rotate(
    agentId: string,
    rotation: Rotation<NewCredential>,
    act: Act,
  ): Promise<Rotated<AgentCredential> | CredentialProblem | 'not_live' | 'no_secret' | AlreadyExists>
  /** Refuses it, and ends the tokens that it got unless they are kept, from the acknowledgement on. */
  revoke(revocation: CredentialRevocation, act: Act): Promise<AgentCredential | undefined>
  /** The one credential that is not revoked and trusts this subject of this issuer. */
  findWorkload(issuer: string, subject: string): Promise<WorkloadCredential | undefined>
  /** Uses an assertion up, durably. Of two callers one gets `first_use`. What has not begun at `until` is not begun. */
  useAssertion(assertion: SingleUse, until?: MonotonicMilliseconds): Promise<'first_use' | 'used'>
}

export type WorkloadCredential = { readonly clientId: string; readonly id: string }

/** Something that may be used once, as long as it could be taken. */
export type SingleUse = {
  /** No two have the same. */
  readonly id: Digest
  /** The last instant at which it may be taken. */
  readonly until: Milliseconds
}

export type CredentialPage = {
  readonly after: string | null
  readonly limit: number
  readonly audiences: readonly string[] | null
}

/** What a secret found in the open was. `revoked`: it, or the tokens that it had left behind, ended by this call. */
export type LeakedSecret =
  | { readonly kind: 'credential'; readonly revoked: boolean; readonly agentId: string; readonly id: string }
  | { readonly kind: 'api_key'; readonly revoked: boolean; readonly id: string }

export interface LeakedSecretRepository {
  /** Revokes what has this hash, expired or not, with everything that it got; undefined where nothing has. */
  revoke(secret: SecretKind, hash: Sha256, act: Act, foundAt: string | null): Promise<LeakedSecret | undefined>
}

export type NewApiKey = Pick<ApiKey, 'id' | 'name' | 'permissions' | 'audiences'> & {
  readonly keyHash: Sha256
  readonly expiry: Expiry
}

/**
 * `expired`: the new key would never live. `caller_ended`: the API key that asks for it is live no more.
 * `outlives_caller`: it would live longer than that one.
 */
export type ApiKeyProblem = 'expired' | 'caller_ended' | 'outlives_caller'

export interface ApiKeyRepository {
  /**
   * The keys with these SHA-256 hashes that are live now, in that order. What is not found is never remembered. `meanwhile` is
   * told at once which of them were found lately: nothing may be decided by that, but what they will ask can be read with them.
   */
  find(
    keyHashes: readonly Sha256[],
    meanwhile?: (wereFound: readonly boolean[]) => void,
  ): Promise<readonly (ApiKey | undefined)[]>
  /** Of two callers with one key one creates. */
  create(apiKey: NewApiKey, act: Act): Promise<ApiKey | ApiKeyProblem | AlreadyExists>
  show(apiKeyId: string): Promise<ApiKey | undefined>
  /** Makes another of the same powers, and lets the old one expire after the grace. `not_live`: revoked or expired. */
  rotate(
    rotation: Rotation<Pick<NewApiKey, 'id' | 'name' | 'keyHash' | 'expiry'>>,
    act: Act,
  ): Promise<Rotated<ApiKey> | ApiKeyProblem | 'unknown' | 'not_live' | AlreadyExists>
  list(after: string | null, limit: number): Promise<readonly ApiKey[]>
  revoke(apiKeyId: string, act: Act): Promise<ApiKey | undefined>
}

export interface RestoreRepository {
  /** The last restore, and what waits since; undefined where there was none. */
  state(): Promise<RestoreState | undefined>
  /** Lets what waits be used again; how many of each. Of two callers the second changes nothing. */
  accept(acceptance: Acceptance, act: Act): Promise<Suspended | 'unknown'>
}
