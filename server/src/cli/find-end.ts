// Which act ended a token: one on the token itself, or one that ended it with others, such as on its agent.
import { listAudit } from '../../../api/audit.ts'
import { showToken } from '../../../api/tokens.ts'
import type { ActKind } from '../../../api/values/audit.ts'
import { PAGE_RECORDS_MAX } from '../../../api/values/lists.ts'
import type { EndingReason } from '../../../api/values/reason.ts'
import { formatTime, type Milliseconds, parseTime } from '../../../api/values/time.ts'
import { isUuid } from '../../../api/values/uuid.ts'
import { type Api, ApiRefusal, type Query } from './remote/api.ts'
import { areRecords, isRecord, type PrintedRecord } from './terminal/print.ts'

/** The filters of the audit log that show the act; an act on all of the store has no subject. */
export type Ending = Readonly<Record<'kind' | 'since' | 'before', string>> & { readonly subject: string | undefined }

/** Why there is no act to show. */
type Unrecorded = { readonly remark: string }

/** What ends the tokens of one thing; another act on the same agent or key may be of the same millisecond. */
export const ENDING_KINDS: readonly string[] = [
  'agent.change',
  'agent.delete',
  'agent.disable',
  'credential.revoke',
  'revocation.create',
  'signing_key.compromise',
  'token.revoke',
] satisfies readonly ActKind[]

/** What ends every token of a store, and what its tokens end with. */
export const ENDING_ALL = {
  'clock.reset': 'bulk_revocation',
  'store.restore': 'restored',
} as const satisfies Partial<Record<ActKind, EndingReason>>

const readActs = async (api: Api, query: Query): Promise<PrintedRecord> =>
  api.call(listAudit, { query: { ...query, limit: PAGE_RECORDS_MAX } })

/** The kind of the act of that millisecond on this subject, if there is one that ends tokens. */
const findKind = async (api: Api, query: Omit<Ending, 'kind'>): Promise<string | undefined> => {
  const { data } = await readActs(api, query)
  const kinds = areRecords(data) ? data.map(({ kind }) => String(kind)) : []
  return kinds.find(kind => ENDING_KINDS.includes(kind))
}

/** Nobody resets a clock so often. */
const RESET_PAGES_MAX = 10

/** Its tokens ended at the time that the clock was set to, which stands in the entry; the entry is of the time before. */
const resetsClockTo = ({ detail }: PrintedRecord, at: Milliseconds): boolean => isRecord(detail) && detail['to'] === at

const onlyAt = (at: Milliseconds) => ({ since: formatTime(at), before: formatTime(at + 1) })

const findReset = async (api: Api, at: Milliseconds): Promise<Ending | undefined> => {
  const kind = 'clock.reset'
  let cursor: unknown
  for (let pages = 0; pages < RESET_PAGES_MAX && cursor !== null; pages += 1) {
    const page = await readActs(api, { kind, ...(typeof cursor === 'string' && { cursor }) })
    const entries = areRecords(page['data']) ? page['data'] : []
    const reset = parseTime(String(entries.find(entry => resetsClockTo(entry, at))?.['at']))
    if (reset !== undefined) return { subject: undefined, kind, ...onlyAt(reset) }
    cursor = page['next_cursor'] ?? null
  }
  return undefined
}

/** The act that ended every token of the store; a revocation of all is one of its own, and has an id. */
const findEndOfAll = async (api: Api, token: PrintedRecord, at: Milliseconds): Promise<Ending | undefined> => {
  const { termination_reason: reason } = token
  if (reason === ENDING_ALL['clock.reset']) return findReset(api, at)
  const [kind, subject] = ['store.restore', undefined] as const
  return reason === ENDING_ALL[kind] ? { subject, kind, ...onlyAt(at) } : undefined
}

/** Undefined where no token has the id, or none that the caller may see. */
const lookUp = async (api: Api, id: string): Promise<PrintedRecord | undefined> => {
  try {
    return await api.call(showToken, { path: { id } })
  } catch (error) {
    if (error instanceof ApiRefusal && (error.status === 404 || error.status === 403)) return undefined
    throw error
  }
}

const idsOf = (token: PrintedRecord): readonly string[] =>
  ['id', 'revocation_id', 'credential_id', 'agent_id', 'kid'].flatMap(name => {
    const value = token[name]
    return typeof value === 'string' ? [value] : []
  })

/** Ends of which the audit log has no entry. */
const WITHOUT_ENTRY: Readonly<Record<string, string>> = {
  expired: 'The token expired: nobody ended it.',
  superseded:
    'The token was superseded: its agent got another one at its limit of live tokens. The audit log has no entry of that.',
}

const describeWithout = ({ termination_reason: reason }: PrintedRecord): Unrecorded | undefined => {
  const remark = WITHOUT_ENTRY[String(reason)]
  return remark === undefined ? undefined : { remark }
}

/**
 * The act that ended the token of this id, by its subject, its kind and its time, or why the audit log has none; undefined
 * where there is no such token, or it is active.
 */
export const findEnd = async (api: Api, id: string): Promise<Ending | Unrecorded | undefined> => {
  const token = isUuid(id) ? await lookUp(api, id) : undefined
  const endedAt = token?.['ended_at']
  const at = typeof endedAt === 'string' ? parseTime(endedAt) : undefined
  if (token === undefined || at === undefined) return undefined
  const { ancestor_id: above } = token
  const ancestor = typeof above === 'string' ? await lookUp(api, above) : undefined
  for (const subject of new Set([...idsOf(token), ...idsOf(ancestor ?? {})])) {
    const kind = await findKind(api, { subject, ...onlyAt(at) })
    if (kind !== undefined) return { subject, kind, ...onlyAt(at) }
  }
  return (await findEndOfAll(api, token, at)) ?? describeWithout(token)
}
