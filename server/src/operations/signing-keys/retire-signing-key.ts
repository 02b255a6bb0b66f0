// Takes a signing key out of signing for good. What it signed lives on, and the key stays published for it.
import { actBy, type Origin } from '../../domain/caller.ts'
import type { ChangedKey } from '../../domain/keys/key-record.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import { isKid } from '../../../../api/values/kid.ts'
import type { Ports } from '../../ports/ports.ts'
import { reportChange, withSuccessor } from './change-signing-keys.ts'
import { refuseNote } from '../check-note.ts'
import type { KeyRotation } from './rotate-signing-key.ts'
import { type KeyPorts, refuseUnknownSigningKey } from './show-signing-key.ts'

/** The current key is followed as by a rotation; a next one leaves the key set; any other stays as it is. */
export const retireSigningKey = async (
  ports: KeyPorts & Pick<Ports, 'signingKeyMaker'>,
  origin: Origin,
  kid: string,
  { force, note }: KeyRotation,
): Promise<OrRefusal<ChangedKey>> => {
  const wrong = refuseNote(note)
  if (wrong !== undefined) return wrong
  if (!isKid(kid)) return refuseUnknownSigningKey(kid)
  const act = actBy(origin, 'signing_key.retire', note)
  const retired = await withSuccessor(ports, candidate => ports.signingKeys.retire({ kid, candidate, force }, act))
  return retired === 'unknown' ? refuseUnknownSigningKey(kid) : reportChange(ports, retired)
}
