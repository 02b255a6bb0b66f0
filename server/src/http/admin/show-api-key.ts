// GET /api/v1/api-keys/{api_key_id}
import { ACCESS } from '../../../../api/values/access.ts'
import { showApiKey } from '../../operations/api-keys/show-api-key.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { makeAdministrationHandler } from './administer.ts'
import { formatApiKey } from './api-key-record.ts'
import type { Refuser } from '../wire/refusals.ts'

export const makeShowApiKeyHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeKeys,
    run: ({ caller }, { path }) => showApiKey(ports, caller, path('api_key_id')),
    answer: (reply, apiKey) => reply.send(formatApiKey(apiKey)),
  })
