// Shows one signing key: everything but its private half.
import type { Administrator } from '../../domain/caller.ts'
import type { ShownKey } from '../../domain/keys/key-record.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import { isKid } from '../../../../api/values/kid.ts'
import type { Ports, ServiceProfile } from '../../ports/ports.ts'

/** What all that shows a signing key needs: the longest lifetime may be the configured one. */
export type KeyPorts = Pick<Ports, 'signingKeys'> & { readonly profile: Pick<ServiceProfile, 'lifetimeSeconds'> }

/** What a kid that nothing has hears; one that cannot be a kid is not told back. */
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
  return { key, longest: Math.max(longest, ports.profile.lifetimeSeconds) }
}
