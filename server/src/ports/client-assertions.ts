// The cryptography of client assertions, and of the keys that they are signed with.
import type { KeyPlace, RegisteredJwk } from '../domain/clients/client-trust.ts'

type Wrong = { readonly wrong: string }

/** A client assertion as it was read: nothing that it says is true before `verify`. */
export type UnverifiedAssertion = {
  readonly claims: Readonly<Record<string, unknown>>
  /**
   * Null where a key at this place signed it; else what is wrong. Does not block the thread. Throws Unavailable where
   * the keys cannot be had, or too many wait for them or to be verified; of these each network has its share.
   */
  readonly verify: (place: KeyPlace, source: string) => Promise<string | null>
}

export interface ClientAssertions {
  /** Strict in form and header; or what is wrong. */
  read(text: string): UnverifiedAssertion | Wrong
  /** The public members of the keys of a set, or what is wrong with it. */
  readKeys(keys: readonly unknown[]): readonly RegisteredJwk[] | Wrong
}
