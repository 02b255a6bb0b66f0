// POST /api/v1/keys/rotate: 200 where the next key signs now, 202 where it will.
import type { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { rotateSigningKey } from '../../operations/signing-keys/rotate-signing-key.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import type { Refuser } from '../wire/refusals.ts'
import { formatChangedKey, type rotationBody } from './signing-key-record.ts'

export const makeRotateSigningKeyHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeKeys,
    run: (origin, { body }: AdministrationInput<z.output<typeof rotationBody>>) =>
      rotateSigningKey(ports, origin, { force: body.force ?? false, note: body.note ?? null }),
    answer: (reply, changed) => reply.code(changed.key.state === 'next' ? 202 : 200).send(formatChangedKey(changed)),
  })
