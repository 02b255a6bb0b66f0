// POST /api/v1/keys/import
import type { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { importSigningKey } from '../../operations/signing-keys/import-signing-key.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { type AdministrationInput, makeAdministrationHandler } from './administer.ts'
import type { Refuser } from '../wire/refusals.ts'
import { formatChangedKey, type importBody } from './signing-key-record.ts'

/** An RSA key of 4096 bits as a JWK takes some 4,000. */
export const IMPORT_BYTES_MAX = 16_384

export const makeImportSigningKeyHandler = (ports: AdministrationPorts, refuser: Refuser, path: string) =>
  makeAdministrationHandler(refuser, {
    access: ACCESS.writeKeys,
    run: (origin, { body }: AdministrationInput<z.output<typeof importBody>>) =>
      importSigningKey(ports, origin, {
        privateKey: body.private_key,
        kid: body.kid ?? null,
        note: body.note ?? null,
      }),
    answer: (reply, changed) => {
      const kid = encodeURIComponent(changed.key.publicJwk.kid)
      return reply.code(201).header('location', `${ports.profile.issuer}${path}/${kid}`).send(formatChangedKey(changed))
    },
  })
