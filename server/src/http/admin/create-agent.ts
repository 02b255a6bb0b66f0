// POST /api/v1/agents: registers an agent and shows its first secret, this once.
import { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { agentRecord as recordOf } from '../../domain/clients/agent-record.ts'
import { createAgent } from '../../operations/agents/create-agent.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import { agentRecord, fieldsOf, type newAgentBody } from './agent-record.ts'
import type { Refuser } from '../wire/refusals.ts'

export const createdAgentAnswer = agentRecord.extend({ client_secret: z.string().describe('Shown this once.') })

export const makeCreateAgentHandler = (ports: AdministrationPorts, refuser: Refuser, path: string) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeAgents,
    run: (origin, { body }: AdministrationInput<z.output<typeof newAgentBody>>) =>
      createAgent(ports, origin, { ...fieldsOf(body), name: body.name, scope: body.scope }),
    answer: (reply, { agent, clientSecret }) =>
      reply
        .code(201)
        .header('location', `${ports.profile.issuer}${path}/${agent.id}`)
        .send({ ...recordOf(agent), client_secret: clientSecret }),
  })
