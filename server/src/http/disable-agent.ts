// POST /api/v1/agents/{id}/disable: ends all that it holds, and refuses it new tokens.
import { ACCESS } from '../domain/access.ts'
import { agentRecord } from '../domain/agent-record.ts'
import { disableAgent } from '../operations/disable-agent.ts'
import type { AdministrationPorts } from '../ports.ts'
import { makeAdministrationHandler } from './administer.ts'
import type { Refuser } from './refusals.ts'

export const makeDisableAgentHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.stopAgents,
    run: (origin, { path }) => disableAgent(ports, origin, path('id')),
    answer: (reply, agent) => reply.send(agentRecord(agent)),
  })
