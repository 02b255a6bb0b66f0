// The cryptography of DPoP proofs, and the nonces that they are to hold.
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
