// POST /api/v1/agents/{agent_id}/credentials/{credential_id}/rotate: a new secret, and a grace for the old one.
import { formatTimeOrNull } from '../../../../api/values/time.ts'
import type { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { rotateCredential } from '../../operations/credentials/rotate-credential.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import { credentialAddress } from './create-credential.ts'
import { formatCredential } from './credential-record.ts'
import { expiryOf, type rotateBody } from './json-members.ts'
import type { Refuser } from '../wire/refusals.ts'

export const makeRotateCredentialHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeAgents,
    run: (origin, { body, path }: AdministrationInput<z.output<typeof rotateBody>>) =>
      rotateCredential(ports, origin, {
        agentId: path('agent_id'),
        credentialId: path('credential_id'),
        graceSeconds: body.grace_seconds,
        expiry: expiryOf(body.expires_at),
      }),
    answer: (reply, { credential, clientSecret, replaced }) =>
      reply
        .code(201)
        .header('location', credentialAddress(ports.profile.issuer, credential.agentId, credential.id))
        .send({
          ...formatCredential(credential),
          client_secret: clientSecret,
          replaces: { credential_id: replaced.id, expires_at: formatTimeOrNull(replaced.expiresAt) },
        }),
  })
