// The cryptography of clients: their assertions and keys, their certificates, and DPoP proofs with their nonces.
import type { ClientCertificate } from '../domain/clients/client-certificate.ts'
import type { KeyPlace, RegisteredJwk } from '../domain/clients/client-trust.ts'

type Wrong = { readonly wrong: string }

/** A parsed client assertion: its claims are not trusted before `verify`. */
export type UnverifiedAssertion = {
  readonly claims: Readonly<Record<string, unknown>>
  /**
   * Returns null if a key at this place signed it; else what is wrong. Does not block the thread. Throws Unavailable if
   * the keys cannot be read, or if too many assertions wait for keys or verification; each network has its share of the queue.
   */
  readonly verify: (place: KeyPlace, source: string) => Promise<string | null>
}

export interface ClientAssertions {
  /** Parses strictly, form and header; or returns what is wrong. */
  read(text: string): UnverifiedAssertion | Wrong
  /** The public members of the keys in a set, or what is wrong with it. */
  readKeys(keys: readonly unknown[]): readonly RegisteredJwk[] | Wrong
}

export interface ClientCertificates {
  /** Parses DER; undefined unless it is exactly one well-formed certificate. */
  read(der: Uint8Array): ClientCertificate | undefined
  /** Parses one certificate in PEM. */
  readPem(text: string): ClientCertificate | undefined
  /** The thumbprint of a PEM certificate that a credential pins; or why it cannot be pinned. */
  pin(text: string): { readonly thumbprint: string } | { readonly wrong: string }
}

/** A parsed DPoP proof: its claims are not trusted before `verify`. */
export type UnverifiedProof = {
  readonly claims: Readonly<Record<string, unknown>>
  /** The thumbprint of the signing key, or what is wrong with key or signature. Does not block the thread. */
  readonly verify: () => Promise<{ readonly jkt: string } | { readonly wrong: string }>
}

export interface DpopProofs {
  /** Parses strictly, form and header (RFC 9449 §4.2); or returns what is wrong. */
  read(text: string): UnverifiedProof | { readonly wrong: string }
  /** The nonce of a time step, the same in every process with the same key-encryption key. */
  nonce(step: number): string
}
