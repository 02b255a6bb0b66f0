// GET /api/v1/agents/{id}
import { ACCESS } from '../../../../api/values/access.ts'
import { agentRecord } from '../../domain/clients/agent-record.ts'
import { showAgent } from '../../operations/agents/show-agent.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { makeAdministrationHandler } from './administer.ts'
import type { Refuser } from '../wire/refusals.ts'

export const makeShowAgentHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.readAgents,
    run: ({ caller }, { path }) => showAgent(ports, caller, path('id')),
    answer: (reply, agent) => reply.send(agentRecord(agent)),
  })
