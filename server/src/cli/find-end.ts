// Why the audit log has no act that ended a token.
import { listAudit } from '../../../api/audit.ts'
import { showToken } from '../../../api/tokens.ts'
import { isUuid } from '../../../api/values/uuid.ts'
import { type Api, ApiRefusal } from './remote/api.ts'
import { areRecords, type PrintedRecord } from './terminal/print.ts'

/** Ends of which the audit log has no entry. */
const WITHOUT_ENTRY: Readonly<Record<string, string>> = {
  expired: 'The token expired: nobody ended it.',
  superseded:
    'The token was superseded: its agent got another one at its limit of live tokens. The audit log has no entry of that.',
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

/** Whether an act ended the token of this id, or else why none did where that is known: it may be of no token. */
export const findEnd = async (api: Api, id: string): Promise<'act' | { readonly remark: string | undefined }> => {
  if (!isUuid(id)) return { remark: undefined }
  const { data } = await api.call(listAudit, { query: { ended_token: id, limit: 1 } })
  if (areRecords(data) && data.length > 0) return 'act'
  const token = await lookUp(api, id)
  return { remark: WITHOUT_ENTRY[String(token?.['termination_reason'])] }
}
