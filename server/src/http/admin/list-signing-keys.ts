// GET /api/v1/keys: all that there are or were, newest first.
import { ACCESS } from '../../../../api/values/access.ts'
import { listSigningKeys } from '../../operations/signing-keys/list-signing-keys.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { makeListHandler } from './list-page.ts'
import type { Refuser } from '../wire/refusals.ts'
import { formatSigningKey } from './signing-key-record.ts'

export const makeSigningKeysHandler = (ports: AdministrationPorts, refuser: Refuser, path: string) =>
  makeListHandler(ports, refuser, {
    path,
    access: ACCESS.readSigningKeys,
    filtersOf: () => null,
    list: (reader, request) => listSigningKeys(ports, reader, request),
    format: formatSigningKey,
  })
