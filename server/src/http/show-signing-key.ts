// GET /api/v1/keys/{kid}
import { ACCESS } from '../domain/access.ts'
import { showSigningKey } from '../operations/show-signing-key.ts'
import type { AdministrationPorts } from '../ports.ts'
import { makeAdministrationHandler } from './administer.ts'
import type { Refuser } from './refusals.ts'
import { formatSigningKey } from './signing-key-record.ts'

export const makeShowSigningKeyHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.readSigningKeys,
    run: ({ caller }, { path }) => showSigningKey(ports, caller, path('kid')),
    answer: (reply, shown) => reply.send(formatSigningKey(shown)),
  })
