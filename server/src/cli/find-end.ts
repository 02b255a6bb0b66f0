// Which act ended a token: one on the token itself, or one that ended it with others, such as on its agent.
import { listAudit } from '../../../api/audit.ts'
import { showToken } from '../../../api/tokens.ts'
import type { ActKind } from '../../../api/values/audit.ts'
import { PAGE_RECORDS_MAX } from '../../../api/values/lists.ts'
import { formatTime, parseTime } from '../../../api/values/time.ts'
import { isUuid } from '../../../api/values/uuid.ts'
import { type Api, ApiRefusal } from './remote/api.ts'
import { areRecords, type PrintedRecord } from './terminal/print.ts'

/** The filters of the audit log that show the act. */
export type Ending = Readonly<Record<'subject' | 'kind' | 'since' | 'before', string>>

/** What ends tokens; another act on the same agent or key may be of the same millisecond. */
const ENDING_KINDS: readonly string[] = [
  'agent.change',
  'agent.delete',
  'agent.disable',
  'clock.reset',
  'credential.revoke',
  'credential.rotate',
  'revocation.create',
  'signing_key.compromise',
  'store.restore',
  'token.revoke',
  'token.supersede',
] satisfies readonly ActKind[]

/** The kind of the act of that millisecond on this subject, if there is one that ends tokens. */
const findKind = async (api: Api, query: Omit<Ending, 'kind'>): Promise<string | undefined> => {
  const { data } = await api.call(listAudit, { query: { ...query, limit: PAGE_RECORDS_MAX } })
  const kinds = areRecords(data) ? data.map(({ kind }) => String(kind)) : []
  return kinds.find(kind => ENDING_KINDS.includes(kind))
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

/** The act that ended the token of this id, by its subject, its kind and its time; undefined where there is no such token or act. */
export const findEnd = async (api: Api, id: string): Promise<Ending | undefined> => {
  const token = isUuid(id) ? await lookUp(api, id) : undefined
  const endedAt = token?.['ended_at']
  const at = typeof endedAt === 'string' ? parseTime(endedAt) : undefined
  if (token === undefined || at === undefined) return undefined
  const { ancestor_id: above } = token
  const ancestor = typeof above === 'string' ? await lookUp(api, above) : undefined
  const when = { since: formatTime(at), before: formatTime(at + 1) }
  for (const subject of new Set([...idsOf(token), ...idsOf(ancestor ?? {})])) {
    const kind = await findKind(api, { subject, ...when })
    if (kind !== undefined) return { subject, kind, ...when }
  }
  return undefined
}
