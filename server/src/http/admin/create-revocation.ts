// POST /api/v1/revocations: the kill switch, and its dry run.
import { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import type { Origin } from '../../domain/caller.ts'
import { formatPreview, formatRevocation } from '../../domain/ledger/format-revocation.ts'
import { BULK_REVOCATION_REASONS } from '../../../../api/values/reason.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import type { RevocationPreview } from '../../domain/ledger/revocation.ts'
import { parseTime } from '../../../../api/values/time.ts'
import type { RevocationRequest } from '../../operations/revocations/check-revocation.ts'
import { createRevocation } from '../../operations/revocations/create-revocation.ts'
import { previewRevocation } from '../../operations/revocations/preview-revocation.ts'
import type { AdministrationPorts, RevocationMade } from '../../ports/ports.ts'
import { makeAdministrationHandler } from './administer.ts'
import { NOTE_MEANING } from './json-members.ts'
import type { Refuser } from '../wire/refusals.ts'
import { revocationPreview, revocationRecord } from './revocation-record.ts'

const instant = z
  .string()
  .transform((text, context): number => {
    const value = parseTime(text)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: 'is not an RFC 3339 time such as 2026-11-21T09:30:05Z' })
    return z.NEVER
  })
  .meta({ format: 'date-time' })

export const revocationBody = z.strictObject({
  id: z.string().optional().describe('A UUID of your own: sent again with the same conditions, nothing more ends.'),
  all: z.literal(true).optional().describe('Every token; instead of any condition.'),
  agent_id: z.string().optional(),
  credential_id: z.string().optional().describe('The secret with which the tokens were got.'),
  scope: z.string().optional().describe('Tokens that carry this item; resource:* for any item of the resource.'),
  audience: z.string().optional(),
  kid: z.string().optional().describe('Tokens that this key signed.'),
  issued_before: instant.optional().describe('Tokens issued before this time, which is not in the future.'),
  reason: z
    .string()
    .optional()
    .describe(`One of ${BULK_REVOCATION_REASONS.join(', ')}; the first unless given.`),
  note: z.string().optional().describe(NOTE_MEANING),
  dry_run: z.boolean().optional().describe('Count what would end, and end nothing.'),
})

export const revocationAnswers = { 200: z.union([revocationRecord, revocationPreview]), 201: revocationRecord }

type Body = z.output<typeof revocationBody>

const requestOf = (body: Body): RevocationRequest => ({
  id: body.id ?? null,
  conditions: {
    agentId: body.agent_id ?? null,
    credentialId: body.credential_id ?? null,
    scope: body.scope ?? null,
    audience: body.audience ?? null,
    kid: body.kid ?? null,
    issuedBefore: body.issued_before ?? null,
  },
  all: body.all ?? false,
  reason: body.reason ?? null,
  note: body.note ?? null,
})

type Found = RevocationMade | { readonly preview: RevocationPreview }

const run = async (ports: AdministrationPorts, origin: Origin, body: Body): Promise<OrRefusal<Found>> => {
  if (body.dry_run !== true) return createRevocation(ports, origin, requestOf(body))
  const preview = await previewRevocation(ports, origin.caller, requestOf(body))
  return isRefused(preview) ? preview : { preview }
}

export const makeCreateRevocationHandler = (ports: AdministrationPorts, refuser: Refuser, path: string) =>
  makeAdministrationHandler<Body, Found>(refuser, {
    access: ACCESS.revokeTokens,
    run: (origin, { body }) => run(ports, origin, body),
    answer: (reply, found) => {
      if ('preview' in found) return reply.send(formatPreview(found.preview))
      const { outcome, revocation } = found
      if (outcome === 'existing') return reply.send(formatRevocation(revocation))
      return reply
        .code(201)
        .header('location', `${ports.profile.issuer}${path}/${revocation.id}`)
        .send(formatRevocation(revocation))
    },
  })
