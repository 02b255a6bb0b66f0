// The query parameters of exports: the filters of the list, and the format in the place of its paging.
import type { z } from 'zod'
import { auditQuery, oneOf } from './audit-query.ts'
import { EXPORT_FORMATS, type ExportFormat } from './export-format.ts'
import { field, historyQuery, tokensQuery } from './list-query.ts'

const PAGING = { limit: true, cursor: true } as const

const formatField = {
  format: field<ExportFormat>(oneOf(EXPORT_FORMATS), `one of ${EXPORT_FORMATS.join(', ')}`, {
    description: 'Lines of JSON (NDJSON), or comma-separated values (RFC 4180).',
    enum: [...EXPORT_FORMATS],
    default: 'ndjson',
  }),
}

export const exportTokensQuery = tokensQuery.omit(PAGING).extend(formatField)

export const exportHistoryQuery = historyQuery.omit(PAGING).extend(formatField)

export const exportAuditQuery = auditQuery.omit(PAGING).extend(formatField)

export type ExportTokensQuery = z.output<typeof exportTokensQuery>

export type ExportHistoryQuery = z.output<typeof exportHistoryQuery>

export type ExportAuditQuery = z.output<typeof exportAuditQuery>
