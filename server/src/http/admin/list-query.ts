// The query parameters of lists: paging, and the filters of the two lists of tokens, each with the form that a refusal names.
import { z } from 'zod'
import { PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX } from '../../../../api/values/lists.ts'
import type { HistoryFilters, TokenFilters } from '../../domain/lists/page.ts'
import { parseReasonList, REASONS } from '../../../../api/values/reason.ts'
import { parseScopeItem } from '../../../../api/values/scope.ts'
import { parseTime } from '../../../../api/values/time.ts'
import { parseUuid } from '../../../../api/values/uuid.ts'

/** RFC 6749 Appendix A.1, and a bound. */
export const CLIENT_ID = /^[\x20-\x7E]{1,255}$/
const LIMIT = /^[1-9]\d{0,3}$/
/** A cursor of a list by name holds a name: 100 characters, each of up to twelve once it is percent-encoded. */
const CURSOR_CHARACTERS_MAX = 1280

type FieldMeta = Readonly<Record<string, unknown>>

/** A parameter that `parse` turns into a value; what it makes undefined is refused with the form that was expected. */
export const field = <T>(parse: (text: string) => T | undefined, expected: string, meta: FieldMeta) =>
  z
    .string()
    .transform((text, context): T => {
      const value = parse(text)
      if (value !== undefined) return value
      context.addIssue({ code: 'custom', message: `is not ${expected}` })
      return z.NEVER
    })
    .meta(meta)
    .optional()

export const matching =
  (form: RegExp) =>
  (text: string): string | undefined =>
    form.test(text) ? text : undefined

const parseLimit = (text: string): number | undefined =>
  LIMIT.test(text) && Number(text) <= PAGE_RECORDS_MAX ? Number(text) : undefined

export const time = (description: string) =>
  field(parseTime, 'an RFC 3339 time such as 2026-11-21T09:30:05Z (encode a + as %2B)', {
    description,
    format: 'date-time',
  })

/** Of every list. */
export const pagingFields = {
  limit: field(parseLimit, `a whole number from 1 to ${PAGE_RECORDS_MAX}`, {
    description: 'Records in a page, at most.',
    type: 'integer',
    minimum: 1,
    maximum: PAGE_RECORDS_MAX,
    default: PAGE_RECORDS_DEFAULT,
  }),
  cursor: field(matching(new RegExp(`^[\\x21-\\x7E]{1,${CURSOR_CHARACTERS_MAX}}$`)), 'a cursor of this list', {
    description: '`next_cursor` of the page before, with the same filters.',
  }),
}

export const tokensQuery = z.object({
  agent_id: field(parseUuid, 'a UUID', { description: 'Only tokens of this agent.', format: 'uuid' }),
  client_id: field(matching(CLIENT_ID), '1 to 255 printable ASCII characters', {
    description: 'Only tokens of this client.',
  }),
  scope: field(parseScopeItem, 'one item of the form resource:action', {
    description: 'Only tokens that carry this item.',
    examples: ['db:read'],
  }),
  issued_after: time('Only tokens issued then or later.'),
  issued_before: time('Only tokens issued earlier.'),
  ...pagingFields,
})

/** Paging alone. */
export const pageQuery = tokensQuery.pick({ limit: true, cursor: true })

export const historyQuery = tokensQuery.extend({
  termination_reason: field(parseReasonList, 'a comma list of names in lower snake case', {
    description:
      `Only tokens that ended for one of these reasons, separated by commas: ${Object.keys(REASONS).join(', ')}. ` +
      'Others are named in `unknown`.',
    examples: ['manual_revocation', 'expired,agent_disabled'],
  }),
  ended_after: time('Only tokens that ended then or later.'),
  ended_before: time('Only tokens that ended earlier.'),
})

export type TokensQuery = z.output<typeof tokensQuery>

export type HistoryQuery = z.output<typeof historyQuery>

export const tokenFiltersOf = (query: TokensQuery): TokenFilters => ({
  agentId: query.agent_id ?? null,
  clientId: query.client_id ?? null,
  scope: query.scope ?? null,
  issuedAfter: query.issued_after ?? null,
  issuedBefore: query.issued_before ?? null,
})

export const historyFiltersOf = (query: HistoryQuery): HistoryFilters => ({
  ...tokenFiltersOf(query),
  reasons: query.termination_reason?.known ?? null,
  endedAfter: query.ended_after ?? null,
  endedBefore: query.ended_before ?? null,
})
