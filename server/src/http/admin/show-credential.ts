// GET /api/v1/agents/{agent_id}/credentials/{credential_id}
import { ACCESS } from '../../../../api/values/access.ts'
import { showCredential } from '../../operations/credentials/show-credential.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { makeAdministrationHandler } from './administer.ts'
import { formatCredential } from './credential-record.ts'
import type { Refuser } from '../wire/refusals.ts'

export const makeShowCredentialHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.readAgents,
    run: ({ caller }, { path }) =>
      showCredential(ports, caller, { agentId: path('agent_id'), credentialId: path('credential_id') }),
    answer: (reply, credential) => reply.send(formatCredential(credential)),
  })
