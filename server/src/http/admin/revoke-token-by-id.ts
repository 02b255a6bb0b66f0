// POST /api/v1/tokens/{id}/revoke: ends a token of which the caller knows only the id.
import { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { formatLife } from '../../domain/ledger/format-token.ts'
import type { TokenLife } from '../../domain/lists/page.ts'
import { TOKEN_REVOCATION_REASONS } from '../../../../api/values/reason.ts'
import { revokeTokenById } from '../../operations/tokens/revoke-token-by-id.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { makeAdministrationHandler } from './administer.ts'
import { NOTE_MEANING } from './json-members.ts'
import type { Refuser } from '../wire/refusals.ts'

export const tokenRevocationBody = z
  .strictObject({
    reason: z
      .string()
      .optional()
      .describe(`One of ${TOKEN_REVOCATION_REASONS.join(', ')}; the first unless given.`),
    note: z.string().optional().describe(NOTE_MEANING),
  })
  .default({})

type Body = z.output<typeof tokenRevocationBody>

export const makeRevokeTokenByIdHandler = (ports: AdministrationPorts, refuser: Refuser) =>
  makeAdministrationHandler<Body, TokenLife>(refuser, {
    access: ACCESS.revokeTokens,
    run: (origin, { body, path }) =>
      revokeTokenById(ports, origin, path('id'), { reason: body.reason ?? null, note: body.note ?? null }),
    answer: (reply, life) => reply.send(formatLife(life)),
  })
