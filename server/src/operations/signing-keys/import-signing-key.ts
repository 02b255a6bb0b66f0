// Takes a private key from outside as the next signing key, under the name that verifiers know it by.
import { actBy, type Origin } from '../../domain/caller.ts'
import { isExisting, refuseRepeat } from '../../domain/idempotency.ts'
import type { ChangedKey } from '../../domain/keys/key-record.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { refuseUnknownKey } from '../authentication/authenticate-administrator.ts'
import { reportChange } from './change-signing-keys.ts'
import { refuseNote } from '../check-note.ts'
import type { KeyPorts } from './show-signing-key.ts'

type KeyImport = {
  /** PKCS#8 in PEM, or a JWK. A secret: in no log, no audit and no answer. */
  readonly privateKey: string | object
  /** Null: the one in the JWK, or else the thumbprint. */
  readonly kid: string | null
  readonly note: string | null
}

export const importSigningKey = async (
  ports: KeyPorts & Pick<Ports, 'signingKeyMaker'>,
  origin: Origin,
  { privateKey, kid, note }: KeyImport,
): Promise<OrRefusal<ChangedKey>> => {
  const wrong = refuseNote(note)
  if (wrong !== undefined) return wrong
  const key = ports.signingKeyMaker.read(privateKey, kid)
  if ('wrong' in key) return refuse('invalid_request', `${key.wrong}.`)
  const imported = await ports.signingKeys.import(key, actBy(origin, 'signing_key.import', note))
  if (imported === 'known') return refuse('already_exists', 'This key, or another of its kid, is or was here already.')
  if (imported === 'caller_ended') return refuseUnknownKey()
  return isExisting(imported) ? refuseRepeat(imported) : reportChange(ports, imported)
}
