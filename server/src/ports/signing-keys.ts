// Signing keys: the register that holds them, and the maker that has their private halves in hand.
import type { Act } from '../domain/audit/act.ts'
import type { AlreadyExists } from '../domain/idempotency.ts'
import type { KeyRecord } from '../domain/keys/key-life.ts'
import type { PublicJwk, SealedSigningKey, SigningKey } from '../domain/keys/signing-key.ts'
import type { Milliseconds } from '../../../api/values/time.ts'

/** Keys, and what tells how much of their life is left: one snapshot. */
export type KeysSeen = {
  readonly keys: readonly KeyRecord[]
  readonly now: Milliseconds
  /** The longest token lifetime in use, in seconds: in the ledger, or set on an agent; 0 where none is. */
  readonly longest: number
}

/** What an act made of the keys. */
export type KeyChange = KeysSeen & {
  /** The key that was acted on: by a rotation the one that signs, or will as soon as it may. */
  readonly key: KeyRecord
  readonly current: KeyRecord
  /** Until then a verifier that kept the key set it had may refuse what the current key signs; null: none does. */
  readonly unknownUntil: Milliseconds | null
}

type KeySuccession = {
  /** Follows where there is no next key; null: the answer is then `no_next`, and one is made. */
  readonly candidate: SealedSigningKey | null
}

export interface SigningKeyRepository {
  /** The current key first, then the next and the retained ones. */
  published(): Promise<readonly PublicJwk[]>
  /** Keeps the key if the store holds none yet; of two callers one gets `created`. */
  createFirst(key: SealedSigningKey, act: Act): Promise<'created' | 'already_exists'>
  /** Every key that signs or may sign, for a check of the key-encryption key at start. */
  sealed(): Promise<readonly SigningKey[]>
  /** At most `limit`, newest first, older than the one with the number `after`. */
  list(after: number | null, limit: number): Promise<KeysSeen>
  /** The one with this `kid`, if there is one. */
  show(kid: string): Promise<KeysSeen>
  /** Publishes the key to follow the current one, where none is there to. Of two callers one gets `created`. */
  createNext(key: SealedSigningKey, act: Act): Promise<'created' | 'already_exists'>
  /**
   * As `createNext`, in the place of the one that is there. `known`: its kid, or the key itself, is or was here.
   * `caller_ended`: the API key that asks for it is live no more.
   */
  import(key: SealedSigningKey, act: Act): Promise<KeyChange | 'known' | 'caller_ended' | AlreadyExists>
  /** The next key signs: from the acknowledgement on where it may or is forced to, else as soon as it may. */
  rotate(
    rotation: KeySuccession & { readonly force: boolean },
    act: Act,
  ): Promise<KeyChange | 'no_next' | AlreadyExists>
  /** Takes a key out of signing: the current one as `rotate` does, the next one at once. */
  retire(
    retirement: KeySuccession & { readonly kid: string; readonly force: boolean },
    act: Act,
  ): Promise<KeyChange | 'unknown' | 'no_next'>
  /**
   * Takes a key out of the key set and ends its tokens, both from the acknowledgement on; where it was the current one
   * the next signs at once. `revocationId` names the end of its tokens.
   */
  compromise(
    compromise: KeySuccession & { readonly kid: string; readonly revocationId: string },
    act: Act,
  ): Promise<KeyChange | 'unknown' | 'no_next'>
}

export interface SigningKeyMaker {
  /** A new key of the algorithm that is configured. */
  make(): Promise<SealedSigningKey>
  /** A private key from outside, as PEM or JWK, under its own `kid` if it has one; or why it cannot be taken. */
  read(privateKey: string | object, kid: string | null): SealedSigningKey | { readonly wrong: string }
}
