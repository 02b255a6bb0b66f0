// DELETE /api/v1/agents/{id}: ends all that the agent holds, for good.
import { ACCESS } from '../../../../api/values/access.ts'
import { deleteAgent } from '../../operations/agents/delete-agent.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { makeAdministrationHandler } from './administer.ts'
import type { Refuser } from '../wire/refusals.ts'

export const makeDeleteAgentHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeAgents,
    run: (origin, { path }) => deleteAgent(ports, origin, path('id')),
    answer: reply => reply.code(204).send(),
  })
