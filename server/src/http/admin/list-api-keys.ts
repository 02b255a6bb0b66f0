// GET /api/v1/api-keys: all that there are or were, by id.
import { ACCESS } from '../../../../api/values/access.ts'
import { listApiKeys } from '../../operations/api-keys/list-api-keys.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { formatApiKey } from './api-key-record.ts'
import { makeListHandler } from './list-page.ts'
import type { Refuser } from '../wire/refusals.ts'

export const makeApiKeysHandler = (ports: AdministrationPorts, refuser: Refuser, path: string) =>
  makeListHandler(ports, refuser, {
    path,
    access: ACCESS.writeKeys,
    filtersOf: () => null,
    list: (reader, request) => listApiKeys(ports, reader, request),
    format: formatApiKey,
  })
