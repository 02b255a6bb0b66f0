// GET /api/v1/exports/tokens: all tokens that are active, as a stream.
import { ACCESS } from '../domain/access.ts'
import type { Columns } from '../domain/csv.ts'
import { formatRecord } from '../domain/format-token.ts'
import { exportTokens } from '../operations/export-tokens.ts'
import type { ExportLane } from './export-lane.ts'
import type { ExportTokensQuery } from './export-query.ts'
import { makeExportHandler } from './export-records.ts'
import { tokenFiltersOf } from './list-query.ts'
import type { AdministrationWire } from './wire.ts'

export const TOKEN_COLUMNS = {
  id: token => token.id,
  agent_id: token => token.agent_id,
  client_id: token => token.client_id,
  credential_id: token => token.credential_id,
  scope: token => token.scope,
  audience: token => token.audience.join(' '),
  kid: token => token.kid,
  issued_at: token => token.issued_at,
  expires_at: token => token.expires_at,
} as const satisfies Columns<ReturnType<typeof formatRecord>>

export const makeExportTokensHandler = (wire: AdministrationWire, lane: ExportLane) =>
  makeExportHandler(wire, lane, {
    name: 'tokens',
    access: ACCESS.readTokens,
    filtersOf: (query: ExportTokensQuery) => tokenFiltersOf(query),
    pages: (caller, filters) => exportTokens(wire.ports, caller, filters),
    format: formatRecord,
    columns: TOKEN_COLUMNS,
  })
