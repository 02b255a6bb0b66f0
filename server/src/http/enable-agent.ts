// POST /api/v1/agents/{id}/enable: lets it ask again.
import { ACCESS } from '../domain/access.ts'
import { agentRecord } from '../domain/agent-record.ts'
import { enableAgent } from '../operations/enable-agent.ts'
import type { AdministrationPorts } from '../ports.ts'
import { makeAdministrationHandler } from './administer.ts'
import type { Refuser } from './refusals.ts'

export const makeEnableAgentHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeAgents,
    run: (origin, { path }) => enableAgent(ports, origin, path('id')),
    answer: (reply, agent) => reply.send(agentRecord(agent)),
  })
