// Secrets that the service makes, and the randomness that they are made of.
import type { Sha256 } from '../domain/text/text.ts'
import type { SecretKind } from './secret-repositories.ts'

export interface Secrets {
  makeClientSecret(): string
  makeApiKey(): string
  makeSessionSecret(): string
  /** The kind of secret of this service that the text may be, by form, prefix and checksum. */
  kindOf(text: string): SecretKind | undefined
  /** Returns the hash of the UTF-8 text. */
  hash(text: string): Sha256
  /** Compares two hashes, or two digests, in constant time; any other text equals nothing. */
  areEqual(a: string, b: string): boolean
}

export interface Randomness {
  bytes(count: number): Uint8Array
  /** A random UUID (version 4). */
  uuid(): string
}
