// PATCH /api/v1/agents/{id}: changes the members that are given (RFC 7396); what the agent loses ends tokens at once.
import type { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { agentRecord } from '../../domain/clients/agent-record.ts'
import { changeAgent } from '../../operations/agents/change-agent.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import { type agentChangeBody, fieldsOf } from './agent-record.ts'
import type { Refuser } from '../wire/refusals.ts'

export const makeChangeAgentHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeAgents,
    run: (origin, { body, path }: AdministrationInput<z.output<typeof agentChangeBody>>) =>
      changeAgent(ports, origin, path('id'), fieldsOf(body)),
    answer: (reply, agent) => reply.send(agentRecord(agent)),
  })
