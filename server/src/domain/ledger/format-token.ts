// The record of a token, on the wire and on the command line: names in lower snake case, times in RFC 3339.
import type { EndedTokenRecord, LineageRecord, TokenEnd, TokenLife, TokenRecord } from '../lists/page.ts'
import { formatTime } from '../../../../api/values/time.ts'

export const formatRecord = (record: TokenRecord) => ({
  id: record.id,
  agent_id: record.agentId,
  client_id: record.clientId,
  credential_id: record.credentialId,
  scope: record.scope,
  audience: [...record.audience],
  kid: record.kid,
  issued_at: formatTime(1000 * record.issuedAt),
  expires_at: formatTime(1000 * record.expiresAt),
  subject: { agent_id: record.subjectId },
  parent_id: record.ancestors[0]?.id ?? null,
  root_id: record.ancestors.length === 0 ? record.id : (record.ancestors.at(-1)?.id ?? null),
  depth: record.ancestors.length,
  actors: [...record.actors],
})

const formatEnd = (end: TokenEnd) => ({
  ended_at: formatTime(end.endedAt),
  termination_reason: end.reason,
  ended_by: end.endedBy,
  note: end.note,
  revocation_id: end.revocationId,
  ancestor_id: end.ancestorId,
})

export const formatEndedRecord = (record: EndedTokenRecord) => ({ ...formatRecord(record), ...formatEnd(record) })

const NOT_ENDED = {
  ended_at: null,
  termination_reason: null,
  ended_by: null,
  note: null,
  revocation_id: null,
  ancestor_id: null,
} as const

/** Formats live and ended tokens in one form. */
export const formatLife = ({ token, end }: TokenLife) => ({
  ...formatRecord(token),
  state: end === null ? ('active' as const) : ('ended' as const),
  ...(end === null ? NOT_ENDED : formatEnd(end)),
})

/** A member of a tree. */
export const formatMember = (member: LineageRecord) => ('removed' in member ? member : formatLife(member))
