// GET /api/v1/exports/history: all tokens that have ended, by whatever cause, as a stream.
import { ACCESS } from '../../../../api/values/access.ts'
import type { Columns } from '../../domain/lists/csv.ts'
import { formatEndedRecord } from '../../domain/ledger/format-token.ts'
import { exportHistory } from '../../operations/tokens/read-tokens.ts'
import { actorCells } from './export-format.ts'
import type { ExportLimit } from './export-limit.ts'
import type { ExportHistoryQuery } from './export-query.ts'
import { makeExportHandler } from './export-records.ts'
import { TOKEN_COLUMNS } from './export-tokens.ts'
import { historyFiltersOf } from './list-query.ts'
import type { AdministrationWire } from '../wire/wire.ts'

export const HISTORY_COLUMNS = {
  ...TOKEN_COLUMNS,
  ended_at: token => token.ended_at,
  termination_reason: token => token.termination_reason,
  ended_by_type: token => actorCells(token.ended_by).type,
  ended_by_id: token => actorCells(token.ended_by).id,
  ended_by_iss: token => actorCells(token.ended_by).iss,
  ended_by_sub: token => actorCells(token.ended_by).sub,
  note: token => token.note,
  revocation_id: token => token.revocation_id,
} as const satisfies Columns<ReturnType<typeof formatEndedRecord>>

export const makeExportHistoryHandler = (wire: AdministrationWire, limit: ExportLimit) =>
  makeExportHandler(wire, limit, {
    name: 'history',
    access: ACCESS.readTokens,
    filtersOf: (query: ExportHistoryQuery) => historyFiltersOf(query),
    pages: (caller, filters) => exportHistory(wire.ports, caller, filters),
    format: formatEndedRecord,
    columns: HISTORY_COLUMNS,
  })
