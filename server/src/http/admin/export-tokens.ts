// GET /api/v1/exports/tokens: all tokens that are active, as a stream.
import { ACCESS } from '../../../../api/values/access.ts'
import type { Columns } from '../../domain/lists/csv.ts'
import { formatRecord } from '../../domain/ledger/format-token.ts'
import { exportTokens } from '../../operations/tokens/read-tokens.ts'
import type { ExportLimit } from './export-limit.ts'
import type { ExportTokensQuery } from './export-query.ts'
import { makeExportHandler } from './export-records.ts'
import { tokenFiltersOf } from './list-query.ts'
import type { AdministrationWire } from '../wire/wire.ts'

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

export const makeExportTokensHandler = (wire: AdministrationWire, limit: ExportLimit) =>
  makeExportHandler(wire, limit, {
    name: 'tokens',
    access: ACCESS.readTokens,
    filtersOf: (query: ExportTokensQuery) => tokenFiltersOf(query),
    pages: (caller, filters) => exportTokens(wire.ports, caller, filters),
    format: formatRecord,
    columns: TOKEN_COLUMNS,
  })
