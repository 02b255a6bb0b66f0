// POST /api/v1/api-keys/{api_key_id}/rotate: a new key of the same powers, and a grace for the old one.
import { formatTimeOrNull } from '../../../../api/values/time.ts'
import type { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { rotateApiKey } from '../../operations/api-keys/rotate-api-key.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import { formatApiKey } from './api-key-record.ts'
import { apiKeyAddress } from './create-api-key.ts'
import { expiryOf, type rotateBody } from './json-members.ts'
import type { Refuser } from '../wire/refusals.ts'

export const makeRotateApiKeyHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeKeys,
    run: (origin, { body, path }: AdministrationInput<z.output<typeof rotateBody>>) =>
      rotateApiKey(ports, origin, {
        apiKeyId: path('api_key_id'),
        graceSeconds: body.grace_seconds,
        expiry: expiryOf(body.expires_at),
      }),
    answer: (reply, { apiKey, key, replaced }) =>
      reply
        .code(201)
        .header('location', apiKeyAddress(ports.profile.issuer, apiKey.id))
        .send({
          ...formatApiKey(apiKey),
          api_key: key,
          replaces: { api_key_id: replaced.id, expires_at: formatTimeOrNull(replaced.expiresAt) },
        }),
  })
