// Signing keys: their repository, and the part that creates them and handles private halves.
import type { Act } from '../domain/audit/act.ts'
import type { AlreadyExists } from '../domain/idempotency.ts'
import type { KeyRecord } from '../domain/keys/key-life.ts'
import type { PublicJwk, SealedSigningKey, SigningKey } from '../domain/keys/signing-key.ts'
import type { Milliseconds } from '../../../api/values/time.ts'

/** Keys, and what determines their remaining life: one snapshot. */
export type KeysSeen = {
  readonly keys: readonly KeyRecord[]
  readonly now: Milliseconds
  /** The longest token lifetime in use, in seconds: in the ledger, or set on an agent; 0 if there is none. */
  readonly longest: number
}

/** The result of an act on the keys. */
export type KeyChange = KeysSeen & {
  /** The key that was acted on; for a rotation the one that signs, or will sign as soon as it may. */
  readonly key: KeyRecord
  readonly current: KeyRecord
  /** The time until which a verifier with a cached key set may refuse tokens of the current key; null: none does. */
  readonly unknownUntil: Milliseconds | null
}

type KeySuccession = {
  /** Becomes the next key if there is none; null: the outcome is then `no_next`, and the caller creates one. */
  readonly candidate: SealedSigningKey | null
}

export interface SigningKeyRepository {
  /** The current key first, then the next and the retained ones. */
  published(): Promise<readonly PublicJwk[]>
  /** Stores the key if the store has none yet; of two callers one gets `created`. */
  createFirst(key: SealedSigningKey, act: Act): Promise<'created' | 'already_exists'>
  /** Every key that signs or may sign, for a check of the key-encryption key at start. */
  sealed(): Promise<readonly SigningKey[]>
  /** Lists at most `limit`, newest first, older than the one with the number `after`. */
  list(after: number | null, limit: number): Promise<KeysSeen>
  /** The one with this `kid`, if there is one. */
  show(kid: string): Promise<KeysSeen>
  /** Publishes the next key, if there is none. Of two callers one gets `created`. */
  createNext(key: SealedSigningKey, act: Act): Promise<'created' | 'already_exists'>
  /**
   * Like `createNext`, but replaces an existing one. `known`: its kid, or the key itself, is or was in the store.
   * `caller_ended`: the caller's API key is no longer live.
   */
  import(key: SealedSigningKey, act: Act): Promise<KeyChange | 'known' | 'caller_ended' | AlreadyExists>
  /** Makes the next key sign: when acknowledged if it may or is forced to, else as soon as it may. */
  rotate(
    rotation: KeySuccession & { readonly force: boolean },
    act: Act,
  ): Promise<KeyChange | 'no_next' | AlreadyExists>
  /** Stops a key from signing: the current one as `rotate` does, the next one at once. */
  retire(
    retirement: KeySuccession & { readonly kid: string; readonly force: boolean },
    act: Act,
  ): Promise<KeyChange | 'unknown' | 'no_next'>
  /**
   * Removes a key from the key set and ends its tokens, both effective when acknowledged; if it was the current one
   * the next signs at once. `revocationId` identifies the revocation of its tokens.
   */
  compromise(
    compromise: KeySuccession & { readonly kid: string; readonly revocationId: string },
    act: Act,
  ): Promise<KeyChange | 'unknown' | 'no_next'>
}

export interface SigningKeyMaker {
  /** A new key with the configured algorithm. */
  make(): Promise<SealedSigningKey>
  /** An imported private key, as PEM or JWK, under its own `kid` if it has one; or why it is not accepted. */
  read(privateKey: string | object, kid: string | null): SealedSigningKey | { readonly wrong: string }
}
