// GET /api/v1/agents/{agent_id}/credentials: all that the agent has or had, oldest first.
import { ACCESS } from '../../../../api/values/access.ts'
import { listCredentials } from '../../operations/credentials/list-credentials.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { formatCredential } from './credential-record.ts'
import { makeListHandler } from './list-page.ts'
import type { Refuser } from '../wire/refusals.ts'

export const makeCredentialsHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeListHandler(ports, refuser, {
    path: parameter => `/api/v1/agents/${parameter('agent_id')}/credentials`,
    access: ACCESS.readAgents,
    filtersOf: (_query, parameter) => ({ agentId: parameter('agent_id') }),
    list: (reader, { filters, ...request }) => listCredentials(ports, reader, filters.agentId, request),
    format: formatCredential,
  })
