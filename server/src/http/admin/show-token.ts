// GET /api/v1/tokens/{id}: the whole life of one token.
import { ACCESS } from '../../../../api/values/access.ts'
import { formatLife } from '../../domain/ledger/format-token.ts'
import { showToken } from '../../operations/tokens/read-tokens.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { makeAdministrationHandler } from './administer.ts'
import type { Refuser } from '../wire/refusals.ts'

export const makeShowTokenHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.readTokens,
    run: ({ caller }, { path }) => showToken(ports, caller, path('id')),
    answer: (reply, life) => reply.send(formatLife(life)),
  })
