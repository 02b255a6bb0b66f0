// The port of records that files declare: planned on a snapshot, done in one transaction each, and listed by the set that manages them.
import type { CountedRecord, ManagedTerms, WantedRecord } from '../../../domain/clients/managed-record.ts'
import type { KeyedPage, KeyedRequest } from '../../../domain/lists/page.ts'
import type { Coming, ManagedRecord, ManagedRecords, RecordObstacle } from '../../../ports/managed-records.ts'
import { MANAGED_KINDS, type ManagedKind } from '../../../../../api/values/managed.ts'
import type { CountEnds } from '../../ledger/count-ends.ts'
import type { Reader } from '../../snapshot.ts'
import { all, type Program } from '../../statement-program.ts'
import type { Writer } from '../../subjects.ts'
import { decide } from './apply-record.ts'
import { type Decision, digestOf, isObstacle, plannedOf } from './decision.ts'

const planRecord = async (
  countEnds: CountEnds,
  wanted: WantedRecord,
  terms: ManagedTerms,
  coming: Coming,
): Promise<CountedRecord | RecordObstacle> => {
  let decision: Decision | undefined
  const found = await countEnds<RecordObstacle>(function* (snapshot) {
    const decided = yield* decide(snapshot, wanted, terms, coming)
    if (isObstacle(decided)) return { refused: decided }
    decision = decided
    return decided
  })
  if ('refused' in found) return found.refused
  if (decision === undefined) throw new Error('Ends were counted of what was not decided.')
  return { ...plannedOf(decision), ends: found.count, instant: found.at, digest: digestOf(decision) }
}

type Row = Omit<ManagedRecord, 'kind'>

const LISTS: Readonly<Record<ManagedKind, string>> = {
  agent: `select id, name, null as agent from agent
    where managed_by = ? and deleted_at is null and id > ? order by id limit ?`,
  credential: `select c.id, c.name, a.name as agent from credential c join agent a on a.n = c.agent
    where c.managed_by = ? and c.revoked_at is null and a.deleted_at is null and c.id > ? order by c.id limit ?`,
  issuer: `select alias as id, alias as name, null as agent from trusted_issuer
    where managed_by = ? and deleted_at is null and alias > ? order by alias limit ?`,
}

const positionOf = (after: string | null): readonly [place: number, id: string] => {
  const [kind = '', id = ''] = after?.split(' ') ?? []
  return [
    Math.max(
      0,
      MANAGED_KINDS.findIndex(one => one === kind),
    ),
    id,
  ]
}

/** One kind after the other; the key of a page is a kind and an id. */
function* listManaged({
  filters: { managedBy },
  after,
  limit,
}: KeyedRequest<{ readonly managedBy: string }>): Program<KeyedPage<ManagedRecord>> {
  const records: ManagedRecord[] = []
  const [from, id] = positionOf(after)
  for (const [n, kind] of MANAGED_KINDS.slice(from).entries()) {
    const rows = yield* all<Row>(LISTS[kind], managedBy, n === 0 ? id : '', limit + 1 - records.length)
    records.push(...rows.map(row => ({ kind, ...row })))
    if (records.length > limit) break
  }
  const last = records[limit - 1]
  const next = records.length > limit && last !== undefined ? `${last.kind} ${last.id}` : null
  return { records: records.slice(0, limit), next }
}

export const makeManagedRecords = (
  { readUntimed }: Reader,
  { call }: Writer,
  countEnds: CountEnds,
): ManagedRecords => ({
  plan: (wanted, terms, coming) => planRecord(countEnds, wanted, terms, coming),
  apply: (wanted, terms, plan, act) => call('applyRecord', { wanted, terms, plan, act }),
  list: request => readUntimed(() => listManaged(request)),
})
