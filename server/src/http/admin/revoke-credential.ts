// POST /api/v1/agents/{agent_id}/credentials/{credential_id}/revoke: refuses it, and ends the tokens that it got.
import { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { CREDENTIAL_REASONS } from '../../../../api/values/credentials.ts'
import { revokeCredential } from '../../operations/credentials/revoke-credential.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import { formatCredential } from './credential-record.ts'
import { NOTE_MEANING } from './json-members.ts'
import type { Refuser } from '../wire/refusals.ts'

export const revokeCredentialBody = z.strictObject({
  reason: z
    .enum(CREDENTIAL_REASONS, { error: `is not one of ${CREDENTIAL_REASONS.join(', ')}` })
    .default('credential_revoked')
    .describe('What its tokens end with.'),
  keep_tokens: z.boolean().default(false).describe('Whether the tokens that it got live on.'),
  note: z.string().nullish().describe(NOTE_MEANING),
})

export const makeRevokeCredentialHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.stopAgents,
    run: (origin, { body, path }: AdministrationInput<z.output<typeof revokeCredentialBody>>) =>
      revokeCredential(ports, origin, {
        agentId: path('agent_id'),
        credentialId: path('credential_id'),
        reason: body.reason,
        keepTokens: body.keep_tokens,
        note: body.note ?? null,
      }),
    answer: (reply, credential) => reply.send(formatCredential(credential)),
  })
