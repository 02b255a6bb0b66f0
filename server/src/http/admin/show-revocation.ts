// GET /api/v1/revocations/{id}: what a revocation asked for, and how far its records have followed.
import { ACCESS } from '../../../../api/values/access.ts'
import { formatRevocation } from '../../domain/ledger/format-revocation.ts'
import { showRevocation } from '../../operations/revocations/show-revocation.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { makeAdministrationHandler } from './administer.ts'
import type { Refuser } from '../wire/refusals.ts'

export const makeShowRevocationHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.readTokens,
    run: ({ caller }, { path }) => showRevocation(ports, caller, path('id')),
    answer: (reply, revocation) => reply.send(formatRevocation(revocation)),
  })
