// The record of a token, on the wire and on the command line: names in lower snake case, times in RFC 3339.
import { isAgent } from './token-subject.ts'
import { actorRecord, agentMembers, agentName, type Names } from '../lists/names.ts'
import type { EndedTokenRecord, LineageRecord, TokenEnd, TokenLife, TokenRecord } from '../lists/page.ts'
import { formatTime } from '../../../../api/values/time.ts'

const formatSubject = ({ subject, names }: TokenRecord) =>
  isAgent(subject)
    ? { agent_id: subject.agentId, agent_name: agentName(names, subject.agentId) }
    : { issuer: subject.issuer, iss: subject.iss, sub: subject.sub }

export const formatRecord = (record: TokenRecord) => ({
  id: record.id,
  agent_id: record.agentId,
  ...agentMembers(record),
  client_id: record.clientId,
  credential_id: record.credentialId,
  scope: record.scope,
  audience: [...record.audience],
  kid: record.kid,
  issued_at: formatTime(1000 * record.issuedAt),
  expires_at: formatTime(1000 * record.expiresAt),
  subject: formatSubject(record),
  parent_id: record.ancestors[0]?.id ?? null,
  root_id: record.ancestors.length === 0 ? record.id : (record.ancestors.at(-1)?.id ?? null),
  depth: record.ancestors.length,
  actors: [...record.actors],
  actor_names: record.actors.map(id => agentName(record.names, id)),
})

const formatEnd = (end: TokenEnd, names: Names | undefined) => ({
  ended_at: formatTime(end.endedAt),
  termination_reason: end.reason,
  ended_by: end.endedBy === null ? null : actorRecord(names, end.endedBy),
  note: end.note,
  revocation_id: end.revocationId,
  ancestor_id: end.ancestorId,
})

export const formatEndedRecord = (record: EndedTokenRecord) => ({
  ...formatRecord(record),
  ...formatEnd(record, record.names),
})

const NOT_ENDED = {
  ended_at: null,
  termination_reason: null,
  ended_by: null,
  note: null,
  revocation_id: null,
  ancestor_id: null,
} as const

/** Formats live and ended tokens in one form. */
export const formatLife = ({ token, end, names }: TokenLife) => ({
  ...formatRecord({ ...token, names }),
  state: end === null ? ('active' as const) : ('ended' as const),
  ...(end === null ? NOT_ENDED : formatEnd(end, names)),
})

/** A member of a tree. */
export const formatMember = (member: LineageRecord) =>
  'removed' in member ? { id: member.id, removed: member.removed } : formatLife(member)
