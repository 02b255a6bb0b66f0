// The query parameters of the audit log and of the counts of refused authentications.
import { z } from 'zod'
import type { RefusalFilters } from '../../domain/audit/attempt.ts'
import { ACT_KINDS, ACTOR_TYPES, WAYS } from '../../../../api/values/audit.ts'
import type { AuditFilters } from '../../domain/audit/audit.ts'
import { CLIENT_ID, field, matching, pagingFields, time } from './list-query.ts'

/** The set is open: a kind that this version does not know matches nothing. */
const KIND = /^[a-z][a-z_]{0,63}\.[a-z][a-z_]{0,63}$/
/** As the log holds it: an id of ours, a user of the system, `iss` and `sub` of an identity provider. */
const TEXT = /^[^\p{C}]{1,512}$/u
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/
const SOURCE = /^(?:unknown|[0-9A-Fa-f:.]{2,45}(?:%[0-9A-Za-z._-]{1,16})?)$/

export const oneOf =
  <T extends string>(values: readonly T[]) =>
  (text: string): T | undefined =>
    values.find(value => value === text)

const text = (description: string) => field(matching(TEXT), '1 to 512 printable characters', { description })

export const auditQuery = z.object({
  kind: field(matching(KIND), 'a kind of act such as agent.disable', {
    description: `Only acts of this kind: ${ACT_KINDS.join(', ')}. Another is named in \`unknown\`.`,
    examples: ['agent.disable'],
  }),
  actor_type: field(oneOf(ACTOR_TYPES), `one of ${ACTOR_TYPES.join(', ')}`, {
    description: 'Only acts of this kind of actor.',
    enum: [...ACTOR_TYPES],
  }),
  actor_id: text('Only acts of the client, the API key or the user at the terminal of this id.'),
  actor_iss: text('Only acts of operators of this identity provider.'),
  actor_sub: text('Only acts of the operator whom the identity provider calls so.'),
  subject: text('Only acts on the agent, credential, key or token of this id.'),
  request_id: field(matching(REQUEST_ID), '1 to 64 of letters, digits, dot, hyphen and underscore', {
    description: 'Only acts of this request.',
  }),
  since: time('Only acts of then or later.'),
  before: time('Only acts of earlier.'),
  ...pagingFields,
})

export const refusalsQuery = z.object({
  way: field(oneOf(WAYS), `one of ${WAYS.join(', ')}`, {
    description:
      'Only attempts as a client, with an API key, as an operator with a JWT, or beyond a limit of an agent.',
    enum: [...WAYS],
  }),
  client_id: field(matching(CLIENT_ID), '1 to 255 printable ASCII characters', {
    description: 'Only attempts as this client.',
  }),
  source: field(matching(SOURCE), 'an IP address or unknown', {
    description: 'Only attempts from this address; `unknown`: from connections that had none any more.',
  }),
  since: time('Only minutes that began then or later.'),
  before: time('Only minutes that began earlier.'),
  ...pagingFields,
})

export type AuditQuery = z.output<typeof auditQuery>

export type RefusalsQuery = z.output<typeof refusalsQuery>

const isActKind = (kind: string): boolean => ACT_KINDS.some(known => known === kind)

/** The kind that is asked for, where this version writes no such. */
export const unknownKinds = ({ kind }: AuditQuery): readonly string[] =>
  kind === undefined || isActKind(kind) ? [] : [kind]

export const auditFiltersOf = (query: AuditQuery): AuditFilters => ({
  kind: query.kind ?? null,
  actorType: query.actor_type ?? null,
  actorId: query.actor_id ?? null,
  actorIss: query.actor_iss ?? null,
  actorSub: query.actor_sub ?? null,
  subject: query.subject ?? null,
  requestId: query.request_id ?? null,
  since: query.since ?? null,
  before: query.before ?? null,
})

export const refusalFiltersOf = (query: RefusalsQuery): RefusalFilters => ({
  way: query.way ?? null,
  clientId: query.client_id ?? null,
  source: query.source ?? null,
  since: query.since ?? null,
  before: query.before ?? null,
})
