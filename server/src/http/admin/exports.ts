// What exports do: the lists whose records they write, and the columns of their tables.
import * as api from '../../../../api/exports.ts'
import { formatIssuerSubject } from '../../../../api/values/subject.ts'
import type { Actor } from '../../domain/audit/act.ts'
import { entryRecord } from '../../domain/audit/audit.ts'
import { formatEndedRecord, formatRecord } from '../../domain/ledger/format-token.ts'
import type { Columns } from '../../domain/lists/csv.ts'
import type { agentMembers } from '../../domain/lists/names.ts'
import { listAudit } from '../../operations/audit/read-audit.ts'
import { listHistory, listTokens } from '../../operations/tokens/read-tokens.ts'
import { auditFiltersOf } from './audit.ts'
import { bindExport } from './export-binding.ts'
import { historyFiltersOf, tokenFiltersOf } from './tokens.ts'

type ActorCells = Readonly<Record<'type' | 'id' | 'iss' | 'sub', string | null>>

/** Who acted, in four columns: an operator has `iss` and `sub`, anybody else an id or nothing. */
const actorCells = (actor: Actor | null): ActorCells => ({ type: null, id: null, iss: null, sub: null, ...actor })

// Those that came later stand last, in the order in which they came: programs may read columns by their place.

const NAME_COLUMNS = {
  agent_name: record => record.agent_name,
  owner: record => record.owner,
} as const satisfies Columns<ReturnType<typeof agentMembers>>

const SUBJECT_COLUMN = {
  subject: ({ subject }) => subject.agent_id ?? formatIssuerSubject(subject),
} as const satisfies Columns<Pick<ReturnType<typeof formatRecord>, 'subject'>>

const TOKEN_COLUMNS = {
  id: token => token.id,
  agent_id: token => token.agent_id,
  client_id: token => token.client_id,
  credential_id: token => token.credential_id,
  scope: token => token.scope,
  audience: token => token.audience.join(' '),
  kid: token => token.kid,
  issued_at: token => token.issued_at,
  expires_at: token => token.expires_at,
  subject_agent_id: token => token.subject.agent_id ?? null,
  parent_id: token => token.parent_id,
  root_id: token => token.root_id,
  depth: token => token.depth,
  actors: token => token.actors.join(' '),
} as const satisfies Columns<ReturnType<typeof formatRecord>>

export const bindings = [
  bindExport(api.exportTokens, {
    name: 'tokens',
    filtersOf: tokenFiltersOf,
    list: listTokens,
    format: formatRecord,
    columns: { ...TOKEN_COLUMNS, ...NAME_COLUMNS, ...SUBJECT_COLUMN },
  }),
  bindExport(api.exportHistory, {
    name: 'history',
    filtersOf: historyFiltersOf,
    list: listHistory,
    format: formatEndedRecord,
    columns: {
      ...TOKEN_COLUMNS,
      ended_at: token => token.ended_at,
      termination_reason: token => token.termination_reason,
      ended_by_type: token => actorCells(token.ended_by).type,
      ended_by_id: token => actorCells(token.ended_by).id,
      ended_by_iss: token => actorCells(token.ended_by).iss,
      ended_by_sub: token => actorCells(token.ended_by).sub,
      note: token => token.note,
      revocation_id: token => token.revocation_id,
      ancestor_id: token => token.ancestor_id,
      ...NAME_COLUMNS,
      ...SUBJECT_COLUMN,
    },
  }),
  bindExport(api.exportAudit, {
    name: 'audit',
    filtersOf: auditFiltersOf,
    list: listAudit,
    format: entryRecord,
    columns: {
      n: entry => entry.n,
      at: entry => entry.at,
      kind: entry => entry.kind,
      actor_type: entry => actorCells(entry.actor).type,
      actor_id: entry => actorCells(entry.actor).id,
      actor_iss: entry => actorCells(entry.actor).iss,
      actor_sub: entry => actorCells(entry.actor).sub,
      source: entry => entry.source,
      request_id: entry => entry.request_id,
      subject: entry => entry.subject,
      note: entry => entry.note,
      detail: entry => JSON.stringify(entry.detail),
      ...NAME_COLUMNS,
    },
  }),
]
