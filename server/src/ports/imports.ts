// Importing the clients of another server with their existing secrets.
import type { Act } from '../domain/audit/act.ts'
import type { Agent } from '../domain/clients/agent.ts'
import type { EntryObstacle } from '../domain/clients/issuer-entries.ts'
import type { Sha256 } from '../domain/text/text.ts'
import type { Milliseconds, MonotonicMilliseconds } from '../../../api/values/time.ts'

export type ImportedAgent = Omit<Agent, 'name' | 'managedBy' | 'createdAt' | 'disabledAt' | 'suspendedAt'> & {
  /** The agent gets the first name that is free. */
  readonly names: readonly string[]
  readonly isDisabled: boolean
  readonly credential: {
    readonly id: string
    /** Empty if only the other server's hash is known. */
    readonly secretHash: Sha256
    /** Whether another server made the secret, so that its hash is one of {@link ImportedSecrets}. */
    readonly isImported: boolean
    readonly foreignHash: string | null
    readonly expiresAt: Milliseconds | null
  }
}

/** `exists`: an agent has this client id. `client_id_retired`: a deleted agent had it. `client_id_at_issuer`: an agent has it there. */
export type ImportObstacle =
  | 'exists'
  | 'client_id_retired'
  | 'client_id_at_issuer'
  | 'secret_expired'
  | 'name_taken'
  | 'lifetimes_full'
  | EntryObstacle['why']

export interface ImportRepository {
  /**
   * Creates the agents in one transaction, each independently of the others. A trial returns the same outcomes and changes
   * nothing. One outcome for each, in order; of two callers one creates an agent.
   */
  create(
    agents: readonly ImportedAgent[],
    act: Act,
    isTrial: boolean,
  ): Promise<readonly (Agent | ImportObstacle)[] | 'caller_ended'>
  /** Replaces the other server's hash. Of two callers one gets `converted`. */
  convert(
    credentialId: string,
    secretHash: Sha256,
    act: Act,
    until: MonotonicMilliseconds,
  ): Promise<'converted' | 'nothing_to_do'>
}

export type Proof = {
  /** The credential of the secret: verifications for one do not delay the others. */
  readonly credentialId: string
  /** The source of the request: verifications for one address do not delay the others either. */
  readonly source: string
  readonly foreignHash: string
  /** The forms in which one secret may have been sent. */
  readonly secrets: readonly string[]
  /** A verification that has not started when it passes is not started. */
  readonly until: MonotonicMilliseconds
}

export interface ImportedSecrets {
  /** A keyed hash, whose key is not in the store: a human-chosen secret must not be guessable from a copy of the store. */
  hash(secret: string): Sha256
  /**
   * The secret that matches the hash, if any does. Slow; runs on a separate thread, with turns that are fair by credential
   * and by source. `busy`: too many are waiting.
   */
  verify(proof: Proof): Promise<{ readonly secret: string } | 'wrong' | 'busy'>
}
