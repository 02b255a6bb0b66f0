// Replaces a credential: makes a new secret, and lets the old one live for a grace. No token ends by it.
import { actBy, type Origin } from '../../domain/caller.ts'
import type { AgentCredential } from '../../domain/clients/credential.ts'
import type { Expiry } from '../../domain/ledger/expiry.ts'
import { isExisting, refuseRepeat } from '../../domain/idempotency.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import type { Ports } from '../../ports/ports.ts'
import { refuseUnknownKey } from '../authentication/authenticate-administrator.ts'
import { checkGrace, refuseExpired } from './check-rotation.ts'
import { type CreatedCredential, NO_TOKENS, refuseTooManyCredentials } from './create-credential.ts'
import { type CredentialPath, refuseUnknownCredential } from './show-credential.ts'

type CredentialRotation = CredentialPath & {
  /** How long the old one is still taken. */
  readonly graceSeconds: number
  /** Of the new one. */
  readonly expiry: Expiry
}

type RotatedCredential = CreatedCredential & { readonly replaced: AgentCredential }

export const rotateCredential = async (
  ports: Pick<Ports, 'credentials' | 'secrets' | 'randomness'>,
  origin: Origin,
  { graceSeconds, expiry, ...path }: CredentialRotation,
): Promise<OrRefusal<RotatedCredential>> => {
  const wrong = checkGrace(graceSeconds)
  if (wrong !== undefined) return wrong
  if (!isUuid(path.agentId) || !isUuid(path.credentialId)) return refuseUnknownCredential(path)
  const clientSecret = ports.secrets.makeClientSecret()
  const replacement = { id: ports.randomness.uuid(), secretHash: ports.secrets.hash(clientSecret), expiry }
  const rotation = { id: path.credentialId, graceMs: 1000 * graceSeconds, replacement }
  const rotated = await ports.credentials.rotate(path.agentId, rotation, actBy(origin, 'credential.rotate'))
  if (rotated === 'unknown') return refuseUnknownCredential(path)
  if (rotated === 'not_live')
    return refuse('invalid_request', 'The credential is revoked or has expired: create another instead.')
  if (rotated === 'no_secret')
    return refuse('invalid_request', 'The credential is no secret: create another, and revoke this one.')
  if (rotated === 'too_many') return refuseTooManyCredentials()
  if (rotated === 'expired') return refuseExpired()
  if (rotated === 'caller_ended') return refuseUnknownKey()
  if (isExisting(rotated)) return refuseRepeat(rotated)
  return {
    credential: { ...rotated.replacement, liveTokens: NO_TOKENS },
    clientSecret,
    replaced: rotated.replaced,
  }
}
