// The emergency end of a signing key: out of the key set, and every token that it signed ended, both from the
// acknowledgement on. Where it was the current one the next signs at once.
import { actBy, type Origin } from '../../domain/caller.ts'
import type { ChangedKey } from '../../domain/keys/key-record.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import { isKid } from '../../../../api/values/kid.ts'
import type { Ports } from '../../ports/ports.ts'
import { reportChange, withSuccessor } from './change-signing-keys.ts'
import { refuseNote } from '../check-note.ts'
import { type KeyPorts, refuseUnknownSigningKey } from './show-signing-key.ts'

export const compromiseSigningKey = async (
  ports: KeyPorts & Pick<Ports, 'signingKeyMaker' | 'randomness'>,
  origin: Origin,
  kid: string,
  note: string | null,
): Promise<OrRefusal<ChangedKey>> => {
  const wrong = refuseNote(note)
  if (wrong !== undefined) return wrong
  if (!isKid(kid)) return refuseUnknownSigningKey(kid)
  const act = actBy(origin, 'signing_key.compromise', note)
  const revocationId = ports.randomness.uuid()
  const compromised = await withSuccessor(ports, candidate =>
    ports.signingKeys.compromise({ kid, candidate, revocationId }, act),
  )
  return compromised === 'unknown' ? refuseUnknownSigningKey(kid) : reportChange(ports, compromised)
}
