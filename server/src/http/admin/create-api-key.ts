// POST /api/v1/api-keys: an API key, with no more powers than its maker has.
import { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { createApiKey } from '../../operations/api-keys/create-api-key.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import { formatApiKey } from './api-key-record.ts'
import { expiresAtMember, expiryOf } from './json-members.ts'
import type { Refuser } from '../wire/refusals.ts'

export const createApiKeyBody = z.strictObject({
  name: z.string().describe('A name to know it by.'),
  permissions: z.array(z.string()).describe('What it may do.'),
  audiences: z
    .array(z.string())
    .nullish()
    .describe('Limits the key to tokens for one of these. Absent or null: it is not limited.'),
  expires_at: expiresAtMember,
})

/** Where an API key is found. */
export const apiKeyAddress = (issuer: string, id: string): string => `${issuer}/api/v1/api-keys/${id}`

export const makeCreateApiKeyHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeKeys,
    run: (origin, { body }: AdministrationInput<z.output<typeof createApiKeyBody>>) =>
      createApiKey(ports, origin, {
        name: body.name,
        permissions: body.permissions,
        audiences: body.audiences ?? null,
        expiry: expiryOf(body.expires_at),
      }),
    answer: (reply, { apiKey, key }) =>
      reply
        .code(201)
        .header('location', apiKeyAddress(ports.profile.issuer, apiKey.id))
        .send({ ...formatApiKey(apiKey), api_key: key }),
  })
