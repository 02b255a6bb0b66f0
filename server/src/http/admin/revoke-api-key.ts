// POST /api/v1/api-keys/{api_key_id}/revoke
import { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { revokeApiKey } from '../../operations/api-keys/revoke-api-key.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import { formatApiKey } from './api-key-record.ts'
import { NOTE_MEANING } from './json-members.ts'
import type { Refuser } from '../wire/refusals.ts'

export const revokeApiKeyBody = z.strictObject({
  note: z.string().nullish().describe(NOTE_MEANING),
})

export const makeRevokeApiKeyHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeKeys,
    run: (origin, { body, path }: AdministrationInput<z.output<typeof revokeApiKeyBody>>) =>
      revokeApiKey(ports, origin, path('api_key_id'), body.note ?? null),
    answer: (reply, apiKey) => reply.send(formatApiKey(apiKey)),
  })
