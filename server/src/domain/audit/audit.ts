// Reading the audit log: its entries and filters.
import type { Actor } from './act.ts'
import { actorRecord, agentMembers, type WithNames } from '../lists/names.ts'
import { formatTime, type Milliseconds } from '../../../../api/values/time.ts'

export type AuditEntry = Pick<WithNames, 'names'> & {
  /** Entries are numbered from 1 without gaps. */
  readonly number: number
  readonly at: Milliseconds
  /** An open set: a later version may have written other kinds. */
  readonly kind: string
  readonly actor: Actor
  readonly source: string | null
  readonly requestId: string | null
  /** What was acted on. */
  readonly subject: string | null
  readonly note: string | null
  readonly detail: Readonly<Record<string, unknown>>
  /** The agent that was acted on, or has what was. */
  readonly agentId: string | null
}

/** A filter that is null is not set; `since` is inclusive, `before` exclusive. */
export type AuditFilters = {
  readonly kind: string | null
  readonly actorType: Actor['type'] | null
  readonly actorId: string | null
  readonly actorIss: string | null
  readonly actorSub: string | null
  readonly subject: string | null
  readonly requestId: string | null
  /** The act that ended the token of this id. */
  readonly endedToken: string | null
  readonly since: Milliseconds | null
  readonly before: Milliseconds | null
}

/** The filters that an entry decides of itself: times are a range that is read, the act that ended a token is looked up. */
type Compared = Omit<AuditFilters, 'since' | 'before' | 'endedToken'>

const MATCHES: { readonly [F in keyof Compared]: (entry: AuditEntry, asked: Compared[F]) => boolean } = {
  kind: ({ kind }, asked) => kind === asked,
  actorType: ({ actor }, asked) => actor.type === asked,
  actorId: ({ actor }, asked) => 'id' in actor && actor.id === asked,
  actorIss: ({ actor }, asked) => 'iss' in actor && actor.iss === asked,
  actorSub: ({ actor }, asked) => 'sub' in actor && actor.sub === asked,
  subject: ({ subject }, asked) => subject === asked,
  requestId: ({ requestId }, asked) => requestId === asked,
}

const COMPARED = Object.keys(MATCHES) as readonly (keyof Compared)[]

const matches = <F extends keyof Compared>(name: F, asked: Compared[F], entry: AuditEntry): boolean =>
  asked === null || MATCHES[name](entry, asked)

/** Whether the entry matches the filters, except for times. */
export const isAskedFor = (entry: AuditEntry, filters: AuditFilters): boolean =>
  COMPARED.every(name => matches(name, filters[name], entry))

/** The single actor that the filters select; null if there may be several. */
export const onlyActor = ({
  actorType: type,
  actorId: id,
  actorIss: iss,
  actorSub: sub,
}: AuditFilters): Actor | null => {
  if (type === 'system') return { type }
  if (type !== null && type !== 'operator') return id === null ? null : { type, id }
  return iss !== null && sub !== null ? { type: 'operator', iss, sub } : null
}

/** An entry as JSON, over HTTP and on the command line. */
export const entryRecord = (entry: AuditEntry) => ({
  n: entry.number,
  at: formatTime(entry.at),
  kind: entry.kind,
  actor: actorRecord(entry.names, entry.actor),
  source: entry.source,
  request_id: entry.requestId,
  subject: entry.subject,
  note: entry.note,
  detail: entry.detail,
  ...agentMembers(entry),
})
