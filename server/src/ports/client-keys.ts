// The cryptography of clients: their assertions and keys, their certificates, and DPoP proofs with their nonces.
import type { ClientCertificate } from '../domain/clients/client-certificate.ts'
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
  /** Whether keys may be fetched from an address of this form. */
  isAddress(address: string): boolean
}

export interface ClientCertificates {
  /** Of DER; undefined where it is not one well-formed certificate and nothing else. */
  read(der: Uint8Array): ClientCertificate | undefined
  /** Of the text of one certificate in PEM. */
  readPem(text: string): ClientCertificate | undefined
  /** Of the same text, where a client is to be known by the certificate itself; or why nobody could be. */
  pin(text: string): { readonly thumbprint: string } | { readonly wrong: string }
}

/** A DPoP proof as it was read: nothing that it says is true before `verify`. */
export type UnverifiedProof = {
  readonly claims: Readonly<Record<string, unknown>>
  /** The thumbprint of the key that signed it, or what is wrong with key or signature. Does not block the thread. */
  readonly verify: () => Promise<{ readonly jkt: string } | { readonly wrong: string }>
}

export interface DpopProofs {
  /** Strict in form and header (RFC 9449 §4.2); or what is wrong. */
  read(text: string): UnverifiedProof | { readonly wrong: string }
  /** The nonce of a step of time, the same in every process under one key-encryption key. */
  nonce(step: number): string
}
