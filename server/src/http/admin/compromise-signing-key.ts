// POST /api/v1/keys/{kid}/compromise
import type { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { compromiseSigningKey } from '../../operations/signing-keys/compromise-signing-key.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import type { Refuser } from '../wire/refusals.ts'
import { type compromiseBody, formatChangedKey } from './signing-key-record.ts'

export const makeCompromiseSigningKeyHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeKeys,
    run: (origin, { body, path }: AdministrationInput<z.output<typeof compromiseBody>>) =>
      compromiseSigningKey(ports, origin, path('kid'), body.note ?? null),
    answer: (reply, changed) => reply.send(formatChangedKey(changed)),
  })
