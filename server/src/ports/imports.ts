// What is needed to take over the clients of another server with the secrets that they have.
import type { Act } from '../domain/audit/act.ts'
import type { Agent } from '../domain/clients/agent.ts'
import type { Sha256 } from '../domain/text/text.ts'
import type { Milliseconds, MonotonicMilliseconds } from '../../../api/values/time.ts'

export type ImportedAgent = Omit<Agent, 'name' | 'createdAt' | 'disabledAt' | 'suspendedAt'> & {
  /** It gets the first that no other agent has. */
  readonly names: readonly string[]
  readonly isDisabled: boolean
  readonly credential: {
    readonly id: string
    /** Empty where only the hash of the other server is known. */
    readonly secretHash: Sha256
    /** Whether the secret was made elsewhere, so that its hash is one of {@link ImportedSecrets}. */
    readonly isImported: boolean
    readonly foreignHash: string | null
    readonly expiresAt: Milliseconds | null
  }
}

/** `exists`: an agent has this client id. `client_id_retired`: one that is deleted had it. */
export type ImportObstacle = 'exists' | 'client_id_retired' | 'secret_expired' | 'name_taken' | 'lifetimes_full'

export interface ImportRepository {
  /**
   * Makes the agents, all in one transaction, each for itself: what stands in the way of one is its own. A trial gives
   * the same and leaves nothing behind. One answer for each, in order; of two callers one makes an agent.
   */
  create(
    agents: readonly ImportedAgent[],
    act: Act,
    isTrial: boolean,
  ): Promise<readonly (Agent | ImportObstacle)[] | 'caller_ended'>
  /** Keeps the hash in the place of the other server's. Of two callers one gets `converted`. */
  convert(
    credentialId: string,
    secretHash: Sha256,
    act: Act,
    until: MonotonicMilliseconds,
  ): Promise<'converted' | 'nothing_to_do'>
}

export type Proof = {
  /** Whose secret it would be: what is done for one does not stand in the way of the others. */
  readonly credentialId: string
  /** Where the request came from: what is done for one address does not stand in the way of the others either. */
  readonly source: string
  readonly foreignHash: string
  /** The forms in which one secret may have been sent. */
  readonly secrets: readonly string[]
  /** What has not begun by then is not begun. */
  readonly until: MonotonicMilliseconds
}

export interface ImportedSecrets {
  /** Keyed, under a key that is not in the store: a secret that a person chose must not be guessed from a copy. */
  hash(secret: string): Sha256
  /**
   * The secret that the hash is of, if one of them is. Slow, on a thread of its own, in turns that are fair by credential
   * and by source; `busy`: too many are waiting.
   */
  verify(proof: Proof): Promise<{ readonly secret: string } | 'wrong' | 'busy'>
}
