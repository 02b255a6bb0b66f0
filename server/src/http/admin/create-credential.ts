// POST /api/v1/agents/{agent_id}/credentials: another secret for an agent.
import { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { createCredential } from '../../operations/credentials/create-credential.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import { formatCredential } from './credential-record.ts'
import { expiresAtMember, expiryOf } from './json-members.ts'
import type { Refuser } from '../wire/refusals.ts'
import { hasOneTrust, trustMembers, trustRequestOf, TWO_TRUSTS } from './trust-members.ts'

export const createCredentialBody = z
  .strictObject({
    name: z.string().describe('A name to know it by.'),
    expires_at: expiresAtMember,
    ...trustMembers,
  })
  .refine(hasOneTrust, TWO_TRUSTS)

/** Where a credential is found. */
export const credentialAddress = (issuer: string, agentId: string, id: string): string =>
  `${issuer}/api/v1/agents/${agentId}/credentials/${id}`

export const makeCreateCredentialHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeAgents,
    run: (origin, { body, path }: AdministrationInput<z.output<typeof createCredentialBody>>) =>
      createCredential(ports, origin, {
        agentId: path('agent_id'),
        name: body.name,
        expiry: expiryOf(body.expires_at),
        trust: trustRequestOf(body),
      }),
    answer: (reply, { credential, clientSecret }) =>
      reply
        .code(201)
        .header('location', credentialAddress(ports.profile.issuer, credential.agentId, credential.id))
        .send({ ...formatCredential(credential), ...(clientSecret !== null && { client_secret: clientSecret }) }),
  })
