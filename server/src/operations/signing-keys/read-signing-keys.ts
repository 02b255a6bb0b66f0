// Reads signing keys: one, a page of them, or the set that is published. Their private halves are nowhere to be read.
import { isKid } from '../../../../packages/verify/src/readers/kid.ts'
import type { Administrator } from '../../domain/caller.ts'
import type { ShownKey } from '../../domain/keys/key-record.ts'
import type { PublicJwk } from '../../domain/keys/signing-key.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports, ServiceProfile } from '../../ports/ports.ts'
import { type ListPage, type PagingRequest, readPageById } from '../reading/read-page.ts'

type KeyProfile = Pick<ServiceProfile, 'lifetimeSeconds' | 'rotationDays'>

export type KeyPorts = Pick<Ports, 'signingKeys'> & { readonly profile: KeyProfile }

/** What all that shows a signing key needs: the longest lifetime may be the configured one. */
export const shownBeside = (longest: number, { lifetimeSeconds, rotationDays }: KeyProfile): Omit<ShownKey, 'key'> => ({
  longest: Math.max(longest, lifetimeSeconds),
  rotationDays,
})

/** The refusal of a kid that no key has; one that cannot be a kid is not repeated. */
export const refuseUnknownSigningKey = (kid: string): ReturnType<typeof refuse> =>
  refuse('not_found', isKid(kid) ? `No signing key has the kid ${kid}.` : 'No signing key has this kid.')

export const showSigningKey = async (
  ports: KeyPorts,
  _caller: Administrator,
  kid: string,
): Promise<OrRefusal<ShownKey>> => {
  if (!isKid(kid)) return refuseUnknownSigningKey(kid)
  const { keys, longest } = await ports.signingKeys.show(kid)
  const [key] = keys
  if (key === undefined) return refuseUnknownSigningKey(kid)
  return { key, ...shownBeside(longest, ports.profile) }
}

/** Returns one page of the signing keys, newest first, including those that are gone. */
export const listSigningKeys = async (
  ports: KeyPorts & Pick<Ports, 'secrets'>,
  _caller: Administrator,
  request: PagingRequest,
): Promise<OrRefusal<ListPage<ShownKey>>> => {
  const page = await readPageById(ports, 'signing_keys', {
    request,
    boundTo: [],
    read: async (after, limit) => {
      const { keys, longest } = await ports.signingKeys.list(after === null ? null : Number(after), limit)
      const shown = shownBeside(longest, ports.profile)
      return keys.map(key => ({ ...shown, key, id: String(key.number) }))
    },
  })
  return isRefused(page) ? page : { ...page, records: page.records.map(({ id: _id, ...shown }) => shown) }
}

export type KeySet = { readonly keys: readonly PublicJwk[] }

/** The public keys with which the signatures of issued tokens verify (RFC 7517), in a stable order. */
export const publishKeys = async (ports: Pick<Ports, 'signingKeys'>): Promise<KeySet> => ({
  keys: await ports.signingKeys.published(),
})
