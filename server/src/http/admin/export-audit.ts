// GET /api/v1/exports/audit: every act that changed something, as a stream.
import { ACCESS } from '../../../../api/values/access.ts'
import { entryRecord } from '../../domain/audit/audit.ts'
import type { Columns } from '../../domain/lists/csv.ts'
import { exportAudit } from '../../operations/audit/export-audit.ts'
import { auditFiltersOf } from './audit-query.ts'
import { actorCells } from './export-format.ts'
import type { ExportLimit } from './export-limit.ts'
import type { ExportAuditQuery } from './export-query.ts'
import { makeExportHandler } from './export-records.ts'
import type { AdministrationWire } from '../wire/wire.ts'

export const AUDIT_COLUMNS = {
  n: entry => entry.n,
  at: entry => entry.at,
  kind: entry => entry.kind,
  actor_type: entry => actorCells(entry.actor).type,
  actor_id: entry => actorCells(entry.actor).id,
  actor_iss: entry => actorCells(entry.actor).iss,
  actor_sub: entry => actorCells(entry.actor).sub,
  source: entry => entry.source,
  request_id: entry => entry.request_id,
  subject: entry => entry.subject,
  note: entry => entry.note,
  detail: entry => JSON.stringify(entry.detail),
} as const satisfies Columns<ReturnType<typeof entryRecord>>

export const makeExportAuditHandler = (wire: AdministrationWire, limit: ExportLimit) =>
  makeExportHandler(wire, limit, {
    name: 'audit',
    access: ACCESS.readAudit,
    filtersOf: (query: ExportAuditQuery) => auditFiltersOf(query),
    pages: (caller, filters) => exportAudit(wire.ports, caller, filters),
    format: entryRecord,
    columns: AUDIT_COLUMNS,
  })
