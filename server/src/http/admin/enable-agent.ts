// POST /api/v1/agents/{id}/enable: lets it ask again.
import type { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { agentRecord } from '../../domain/clients/agent-record.ts'
import { enableAgent } from '../../operations/agents/enable-agent.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import type { noteBody } from './json-members.ts'
import type { Refuser } from '../wire/refusals.ts'

export const makeEnableAgentHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeAgents,
    run: (origin, { body, path }: AdministrationInput<z.output<typeof noteBody>>) =>
      enableAgent(ports, origin, path('id'), body.note ?? null),
    answer: (reply, agent) => reply.send(agentRecord(agent)),
  })
