// The query parameters of exports: the filters of the list, and the format in the place of its paging.
import type { z } from 'zod'
import { ACT_KINDS } from '../../../../api/values/audit.ts'
import { parseReasonList, type ReasonList, REASONS } from '../../../../api/values/reason.ts'
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

// A file has no place beside its records to say what is not known: an empty one would be taken for "nobody did".
const parseKnownReasons = (text: string): ReasonList | undefined => {
  const list = parseReasonList(text)
  return list === undefined || list.unknown.length > 0 ? undefined : list
}

const reasons = Object.keys(REASONS).join(', ')
const kinds = ACT_KINDS.join(', ')

export const exportHistoryQuery = historyQuery.omit(PAGING).extend({
  termination_reason: field(parseKnownReasons, `a comma list of ${reasons}`, {
    description: `Only tokens that ended for one of these reasons, separated by commas: ${reasons}.`,
    examples: ['manual_revocation', 'expired,agent_disabled'],
  }),
  ...formatField,
})

export const exportAuditQuery = auditQuery.omit(PAGING).extend({
  kind: field<string>(oneOf(ACT_KINDS), `one of ${kinds}`, {
    description: `Only acts of this kind: ${kinds}.`,
    examples: ['agent.disable'],
  }),
  ...formatField,
})

export type ExportTokensQuery = z.output<typeof exportTokensQuery>

export type ExportHistoryQuery = z.output<typeof exportHistoryQuery>

export type ExportAuditQuery = z.output<typeof exportAuditQuery>
