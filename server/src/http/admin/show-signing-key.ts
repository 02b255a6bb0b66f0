// GET /api/v1/keys/{kid}
import { ACCESS } from '../../../../api/values/access.ts'
import { showSigningKey } from '../../operations/signing-keys/show-signing-key.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { makeAdministrationHandler } from './administer.ts'
import type { Refuser } from '../wire/refusals.ts'
import { formatSigningKey } from './signing-key-record.ts'

export const makeShowSigningKeyHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.readSigningKeys,
    run: ({ caller }, { path }) => showSigningKey(ports, caller, path('kid')),
    answer: (reply, shown) => reply.send(formatSigningKey(shown)),
  })
