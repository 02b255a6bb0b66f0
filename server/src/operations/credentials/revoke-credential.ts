// Revokes a credential: from the acknowledgement on it gets no token, and unless they are kept those that it got are ended.
import { actBy, type Origin } from '../../domain/caller.ts'
import type { CountedCredential } from '../../domain/clients/credential.ts'
import type { CredentialReason } from '../../../../api/values/credentials.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import type { Ports } from '../../ports/ports.ts'
import { refuseNote } from '../check-note.ts'
import { type CredentialPath, refuseUnknownCredential, showCredential } from './show-credential.ts'

type CredentialRevocationRequest = CredentialPath & {
  readonly reason: CredentialReason
  readonly keepTokens: boolean
  readonly note: string | null
}

/** The credential, revoked now or before. Tokens that the first time kept, a second time may end. */
export const revokeCredential = async (
  ports: Pick<Ports, 'credentials'>,
  origin: Origin,
  { reason, keepTokens, note, ...path }: CredentialRevocationRequest,
): Promise<OrRefusal<CountedCredential>> => {
  const { agentId, credentialId } = path
  const wrong = refuseNote(note)
  if (wrong !== undefined) return wrong
  if (!isUuid(agentId) || !isUuid(credentialId)) return refuseUnknownCredential(path)
  const revocation = { agentId, id: credentialId, reason, keepTokens }
  const revoked = await ports.credentials.revoke(revocation, actBy(origin, 'credential.revoke', note))
  return revoked === undefined ? refuseUnknownCredential(path) : showCredential(ports, origin.caller, path)
}
