// GET /api/v1/audit/refusals: how often authentication was refused, and tokens beyond a limit, by minute.
import { z } from 'zod'
import { ACCESS } from '../../../../api/values/access.ts'
import { refusalRecord } from '../../domain/audit/attempt.ts'
import { WAYS } from '../../../../api/values/audit.ts'
import { listRefusals } from '../../operations/audit/list-refusals.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { refusalFiltersOf } from './audit-query.ts'
import { makeListHandler } from './list-page.ts'
import type { Refuser } from '../wire/refusals.ts'
import { pageOf, time } from './token-record.ts'

export const refusalsAnswer = pageOf(
  z.object({
    minute: time.describe('The beginning of the minute.'),
    way: z
      .enum(WAYS)
      .describe(
        'What was presented: the credentials of a client, an API key, or a JWT; `limit`: beyond a limit of its agent.',
      ),
    client_id: z.string().nullable().describe('The client, where it exists.'),
    source: z
      .string()
      .nullable()
      .describe(
        'The address, or `unknown` where the connection had none any more; null for all beyond what is counted apart in one minute.',
      ),
    count: z.int(),
  }),
)

export const makeRefusalsHandler = (ports: AdministrationPorts, refuser: Refuser, path: string) =>
  makeListHandler(ports, refuser, {
    path,
    access: ACCESS.readAudit,
    filtersOf: refusalFiltersOf,
    list: (reader, request) => listRefusals(ports, reader, request),
    format: refusalRecord,
  })
