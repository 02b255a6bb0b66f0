// Exports: the records of a list to its end, as lines of JSON or as comma-separated values.
import { z } from 'zod'
import { auditExample, auditFilters, auditRecord } from './audit.ts'
import { AUDIENCE, OPERATOR } from './examples.ts'
import { choiceParameter, parameter } from './fields.ts'
import { operation } from './operation.ts'
import {
  endedTokenExample,
  endedTokenRecord,
  endingFilters,
  tokenExample,
  tokenFilters,
  tokenRecord,
} from './tokens.ts'
import { ACCESS } from './values/access.ts'
import { ACT_KINDS } from './values/audit.ts'
import { parseReasonList, type ReasonList, REASON_LIST_PATTERN, REASONS } from './values/reason.ts'

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const

export type ExportFormat = (typeof EXPORT_FORMATS)[number]

const format = {
  format: choiceParameter(EXPORT_FORMATS, {
    description: 'Lines of JSON (NDJSON), or comma-separated values (RFC 4180).',
    default: 'ndjson',
  }),
}

// An export refuses unknown reasons: a file has no place for a warning, and an empty one would be read as "nobody did".
const parseKnownReasons = (text: string): ReasonList | undefined => {
  const list = parseReasonList(text)
  return list === undefined || list.unknown.length > 0 ? undefined : list
}

const reasons = Object.keys(REASONS).join(', ')

const termination_reason = parameter(parseKnownReasons, `a comma list of ${reasons}`, {
  description: `Only tokens that ended for one of these reasons, separated by commas: ${reasons}.`,
  pattern: REASON_LIST_PATTERN,
  examples: ['manual_revocation', 'expired,agent_disabled'],
})

const kind = choiceParameter(ACT_KINDS, {
  description: `Only acts of this kind: ${ACT_KINDS.join(', ')}.`,
  examples: ['agent.disable'],
})

const linesOf = (record: z.ZodType) => ({
  200: {
    description: 'Lines, each a record of the list; or comma-separated values (RFC 4180) under a line of names.',
    content: { 'application/x-ndjson': { schema: record }, 'text/csv': { schema: z.string() } },
  },
})

const HEADERS = ['Content-Disposition', 'X-Content-Type-Options'] as const

type Cells = Readonly<Record<string, string | number | null>>

/** Makes an example of CSV from cells without commas, quotes and line breaks. */
const tableOf = ({ agent_name, owner, ...first }: Cells, last: Cells = {}): string => {
  const cells = { ...first, agent_name, owner, ...last }
  return `${Object.keys(cells).join(',')}\r\n${Object.values(cells).join(',')}\r\n`
}

const actorCells = (prefix: string) => ({
  [`${prefix}_type`]: OPERATOR.type,
  [`${prefix}_id`]: null,
  [`${prefix}_iss`]: OPERATOR.iss,
  [`${prefix}_sub`]: OPERATOR.sub,
})

const { subject, parent_id, root_id, depth, actors, actor_names: _names, ...tokenOwnCells } = tokenExample
const lineageCells = { subject_agent_id: subject.agent_id, parent_id, root_id, depth, actors: actors.join(' ') }
const tokenCells = { ...tokenOwnCells, audience: AUDIENCE, ...lineageCells }
const subjectCell = { subject: subject.agent_id }
const { ended_at, termination_reason: reason, note, revocation_id, ancestor_id } = endedTokenExample
const endedCells = { ended_at, termination_reason: reason, ...actorCells('ended_by'), note, revocation_id, ancestor_id }
const { n, at, kind: act, actor: _, detail, ...entryCells } = auditExample

export const exportTokens = operation({
  route: 'GET /api/v1/exports/tokens',
  id: 'exportTokens',
  summary: 'Export live tokens',
  access: ACCESS.readTokens,
  query: z.object({ ...tokenFilters, ...format }),
  answers: linesOf(tokenRecord),
  headers: HEADERS,
  example: { answer: tokenExample, text: tableOf(tokenCells, subjectCell) },
})

export const exportHistory = operation({
  route: 'GET /api/v1/exports/history',
  id: 'exportHistory',
  summary: 'Export ended tokens',
  access: ACCESS.readTokens,
  query: z.object({ ...tokenFilters, ...endingFilters, termination_reason, ...format }),
  answers: linesOf(endedTokenRecord),
  headers: HEADERS,
  example: { answer: endedTokenExample, text: tableOf({ ...tokenCells, ...endedCells }, subjectCell) },
})

export const exportAudit = operation({
  route: 'GET /api/v1/exports/audit',
  id: 'exportAudit',
  summary: 'Export the audit log',
  access: ACCESS.readAudit,
  query: z.object({ ...auditFilters, kind, ...format }),
  answers: linesOf(auditRecord),
  headers: HEADERS,
  example: {
    answer: auditExample,
    text: tableOf({ n, at, kind: act, ...actorCells('actor'), ...entryCells, detail: JSON.stringify(detail) }),
  },
})
