// GET /api/v1/audit: every act that changed something, newest first.
import { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { entryRecord } from '../../domain/audit/audit.ts'
import { listAudit } from '../../operations/audit/list-audit.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { auditFiltersOf, type AuditQuery, unknownKinds } from './audit-query.ts'
import { makeListHandler } from './list-page.ts'
import type { Refuser } from '../wire/refusals.ts'
import { actor, pageOf, time, unknownNames } from './token-record.ts'

export const auditRecord = z.object({
  n: z.int().describe('Its number: entries are numbered from 1 without a gap.'),
  at: time,
  kind: z.string().describe('One of an open set of names.'),
  actor,
  source: z
    .string()
    .nullable()
    .describe(
      'The address that the request came from, or `unknown` where its connection had none any more; null for an act without a request.',
    ),
  request_id: z.string().nullable(),
  subject: z.string().nullable().describe('The id of what was acted on.'),
  note: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()).describe('What the act did; its members are those of the kind.'),
})

export const auditAnswer = pageOf(auditRecord).extend({ unknown: unknownNames })

export const makeAuditHandler = (ports: AdministrationPorts, refuser: Refuser, path: string) =>
  makeListHandler(ports, refuser, {
    path,
    access: ACCESS.readAudit,
    filtersOf: (query: AuditQuery) => auditFiltersOf(query),
    list: (reader, request) => listAudit(ports, reader, request),
    format: entryRecord,
    unknownIn: query => unknownKinds(query),
  })
