// GET /api/v1/keys: all that there are or were, newest first.
import { ACCESS } from '../domain/access.ts'
import { listSigningKeys } from '../operations/list-signing-keys.ts'
import type { AdministrationPorts } from '../ports.ts'
import { makeListHandler } from './list-page.ts'
import type { Refuser } from './refusals.ts'
import { formatSigningKey } from './signing-key-record.ts'

export const makeSigningKeysHandler = (ports: AdministrationPorts, refuser: Refuser, path: string) =>
  makeListHandler(ports, refuser, {
    path,
    access: ACCESS.readSigningKeys,
    filtersOf: () => null,
    list: (reader, request) => listSigningKeys(ports, reader, request),
    format: formatSigningKey,
  })
