// POST /api/v1/keys/{kid}/retire: 200 where the key signs no more, 202 where it will not once another may.
import type { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { retireSigningKey } from '../../operations/signing-keys/retire-signing-key.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import type { Refuser } from '../wire/refusals.ts'
import { formatChangedKey, type rotationBody } from './signing-key-record.ts'

export const makeRetireSigningKeyHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeKeys,
    run: (origin, { body, path }: AdministrationInput<z.output<typeof rotationBody>>) =>
      retireSigningKey(ports, origin, path('kid'), { force: body.force ?? false, note: body.note ?? null }),
    answer: (reply, changed) => reply.code(changed.key.state === 'current' ? 202 : 200).send(formatChangedKey(changed)),
  })
