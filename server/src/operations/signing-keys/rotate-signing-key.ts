// Lets the next signing key sign: now where every verifier has it or a caller insists, else as soon as they have.
import { actBy, type Origin } from '../../domain/caller.ts'
import { isExisting, refuseRepeat } from '../../domain/idempotency.ts'
import type { ChangedKey } from '../../domain/keys/key-record.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { reportChange, withSuccessor } from './change-signing-keys.ts'
import { refuseNote } from '../check-note.ts'
import type { KeyPorts } from './show-signing-key.ts'

export type KeyRotation = {
  /** At once, although verifiers may not know the key. */
  readonly force: boolean
  readonly note: string | null
}

export const rotateSigningKey = async (
  ports: KeyPorts & Pick<Ports, 'signingKeyMaker'>,
  origin: Origin,
  { force, note }: KeyRotation,
): Promise<OrRefusal<ChangedKey>> => {
  const wrong = refuseNote(note)
  if (wrong !== undefined) return wrong
  const act = actBy(origin, 'signing_key.rotate', note)
  const rotated = await withSuccessor(ports, candidate => ports.signingKeys.rotate({ candidate, force }, act))
  return isExisting(rotated) ? refuseRepeat(rotated) : reportChange(ports, rotated)
}
