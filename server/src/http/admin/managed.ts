// What the operations on records that files declare do.
import { trustsIn } from '../../../../api/credential-trust.ts'
import * as api from '../../../../api/managed.ts'
import type { BodyOf } from '../../../../api/operation.ts'
import { changeOf } from '../../domain/clients/agent-record.ts'
import { newIssuerOf } from '../../domain/clients/trusted-issuer.ts'
import { managedByOf, type PlannedRecord } from '../../domain/clients/managed-record.ts'
import { type EndCount, formatEnds } from '../../domain/ledger/ends.ts'
import {
  applyRecord,
  type DeclaredRecord,
  listManaged,
  type PlannedOrRefused,
  planRecords,
} from '../../operations/managed/managed-records.ts'
import { parseUuid } from '../../../../api/values/uuid.ts'
import { bind, bindList } from './binding.ts'

const plannedRecord = ({ kind, action, id, name, agent, before, after, remark }: PlannedRecord) => ({
  kind,
  action,
  id,
  name,
  agent,
  before: { ...before },
  after: { ...after },
  remark,
})

const NO_ENDS: EndCount = { tokens: 0, descendants: 0, descendantAgents: [], isExact: true, reasons: [] }

type Body = BodyOf<typeof api.applyRecord>['document']

const declaredOf = (record: Body): DeclaredRecord => {
  if (record.kind === 'removal') return record
  if (record.kind === 'issuer') return { kind: record.kind, issuer: newIssuerOf(record) }
  if (record.kind === 'agent') {
    const { kind, agent_id: agentId = null, name } = record
    return { kind, agentId, change: { ...changeOf(record), name } }
  }
  const { kind, agent, name, expires_at: expiresAt = null } = record
  const [trust] = trustsIn(record)
  if (trust === undefined) throw new Error('A credential was read that trusts nothing.')
  // An id has one spelling, as in the record of the agent.
  return { kind, agent: parseUuid(agent) ?? agent, name, expiresAt, trust }
}

const nameOf = (record: DeclaredRecord): string => {
  if (record.kind === 'issuer') return record.issuer.alias
  if (record.kind === 'agent') return record.change.name
  return record.kind === 'removal' ? record.id : record.name
}

const answerOf = (found: PlannedOrRefused) => {
  if ('planned' in found) {
    const { planned, planId } = found
    return { ...plannedRecord(planned), ends: formatEnds(planned).ends, plan_id: planId, refusal: null }
  }
  const { refusal, record } = found
  return {
    kind: record.kind === 'removal' ? record.of : record.kind,
    action: 'none' as const,
    id: null,
    name: nameOf(record),
    agent: record.kind === 'credential' ? record.agent : null,
    before: {},
    after: {},
    remark: null,
    ends: formatEnds({ ends: NO_ENDS }).ends,
    plan_id: null,
    refusal: { error: refusal.code, description: refusal.description },
  }
}

export const bindings = [
  bind(api.planRecords, {
    run: (ports, { caller }, { body: { documents, ...rest } }) =>
      planRecords(ports, caller, { ...rest, records: documents.map(declaredOf) }),
    answer: ({ plans }) => ({ data: plans.map(answerOf) }),
  }),
  bind(api.applyRecord, {
    run: (ports, origin, { body: { set, adopt, document, plan_id: planId, max_extra: extraMax } }) =>
      applyRecord(ports, origin, { set, adopt, record: declaredOf(document), planId, extraMax }),
    answer: ({ planned }) => plannedRecord(planned),
  }),
  bindList(api.listManaged, {
    filtersOf: ({ set = '' }) => ({ managedBy: managedByOf(set) }),
    list: listManaged,
    format: ({ kind, id, name, agent }) => ({ kind, id, name, agent }),
  }),
]
