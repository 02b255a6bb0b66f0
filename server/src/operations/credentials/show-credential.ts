// Shows one credential of an agent: everything but the secret, and how many live tokens it got.
import { type Administrator, audiencesOf } from '../../domain/caller.ts'
import type { CountedCredential } from '../../domain/clients/credential.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import type { Ports } from '../../ports/ports.ts'

export type CredentialPath = { readonly agentId: string; readonly credentialId: string }

export const refuseUnknownCredential = ({ agentId, credentialId }: CredentialPath): ReturnType<typeof refuse> =>
  refuse('not_found', `No credential of an agent ${agentId} has the id ${credentialId}.`)

export const showCredential = async (
  ports: Pick<Ports, 'credentials'>,
  caller: Administrator,
  path: CredentialPath,
): Promise<OrRefusal<CountedCredential>> => {
  const { agentId, credentialId } = path
  if (!isUuid(agentId) || !isUuid(credentialId)) return refuseUnknownCredential(path)
  const credential = await ports.credentials.show(agentId, credentialId, audiencesOf(caller))
  return credential ?? refuseUnknownCredential(path)
}
