// POST /api/v1/agents/{id}/disable: ends all that it holds, and refuses it new tokens.
import type { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { agentRecord } from '../../domain/clients/agent-record.ts'
import { disableAgent } from '../../operations/agents/disable-agent.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import type { noteBody } from './json-members.ts'
import type { Refuser } from '../wire/refusals.ts'

export const makeDisableAgentHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.stopAgents,
    run: (origin, { body, path }: AdministrationInput<z.output<typeof noteBody>>) =>
      disableAgent(ports, origin, path('id'), body.note ?? null),
    answer: (reply, agent) => reply.send(agentRecord(agent)),
  })
