// Lists the credentials of an agent, oldest first: the revoked and expired ones too.
import { type Administrator, audiencesOf } from '../../domain/caller.ts'
import type { CountedCredential } from '../../domain/clients/credential.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ListPage, type PagingRequest, readPageById } from '../reading/read-page.ts'
import { refuseUnknownAgent } from '../agents/read-agents.ts'

/** One page of them. */
export const listCredentials = async (
  ports: Pick<Ports, 'credentials' | 'secrets'>,
  caller: Administrator,
  agentId: string,
  request: PagingRequest,
): Promise<OrRefusal<ListPage<CountedCredential>>> => {
  if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
  const audiences = audiencesOf(caller)
  return readPageById(ports, 'credentials', {
    request,
    boundTo: [agentId, audiences],
    read: async (after, limit) =>
      (await ports.credentials.list(agentId, { after, limit, audiences })) ?? refuseUnknownAgent(agentId),
  })
}
