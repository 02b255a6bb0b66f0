// GET /api/v1/tokens/{id}: the whole life of one token.
import { ACCESS } from '../domain/access.ts'
import { formatLife } from '../domain/format-token.ts'
import { showToken } from '../operations/show-token.ts'
import type { AdministrationPorts } from '../ports.ts'
import { makeAdministrationHandler } from './administer.ts'
import type { Refuser } from './refusals.ts'

export const makeShowTokenHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.readTokens,
    run: ({ caller }, { path }) => showToken(ports, caller, path('id')),
    answer: (reply, life) => reply.send(formatLife(life)),
  })
