// Publishes the public keys with which the signatures of issued tokens verify (RFC 7517).
import type { PublicJwk } from '../../domain/keys/signing-key.ts'
import type { Ports } from '../../ports/ports.ts'

export type KeySet = { readonly keys: readonly PublicJwk[] }

/** The key set, in a stable order, public members only. */
export const publishKeys = async (ports: Pick<Ports, 'signingKeys'>): Promise<KeySet> => ({
  keys: await ports.signingKeys.published(),
})
