// In this folder: the audit log in the store, the counts of refused authentications, and the seals that show a changed entry.
// The port of the audit log: its entries, and the counts of refused authentications.
import type { Actor } from '../../domain/audit/act.ts'
import { type AuditEntry, type AuditFilters, isAskedFor, onlyActor } from '../../domain/audit/audit.ts'
import {
  type RefusalCount,
  type RefusalFilters,
  type Attempt,
  REFUSALS_A_MINUTE_MAX,
} from '../../domain/audit/attempt.ts'
import type { Way } from '../../../../api/values/audit.ts'
import type { Page, PageRequest } from '../../domain/lists/page.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import type { Timing } from '../../ports/timing.ts'
import { unmapped, type Source } from '../../domain/source.ts'
import type { OnFault } from '../background.ts'
import type { Writer } from '../subjects.ts'
import { readNewest, type Scan } from '../lists/newest-first.ts'
import type { Program } from '../statement-program.ts'
import type { NameCaches } from '../ledger/name-caches.ts'
import { namePage } from '../lists/read-names.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { findEnd } from './find-end.ts'
import { type HandOverOptions, makeHandOver } from '../hand-over.ts'
import { type Refused, refusalKey } from './refusals.ts'

// Counts refused authentications in the memory of a serving thread, and hands the counts over now and then: a million
// wrong secrets are a few rows, and none stands in front of an act.

/** A caller's act waits for one hand-over, on PostgreSQL for some statements of each count, and for no more. */
const TOGETHER_MAX = 32

export const makeRefusalCounter = (options: HandOverOptions<Refused>) => {
  let counts = new Map<string, Refused>()

  const add = (one: Refused): void => {
    const key = refusalKey(one)
    const known = counts.get(key)
    if (known !== undefined) counts.set(key, { ...known, count: known.count + one.count })
    else if (counts.size < REFUSALS_A_MINUTE_MAX || one.source === '') counts.set(key, one)
    else add({ ...one, client: '', source: '' })
  }

  const take = (): readonly Refused[] => {
    const taken = [...counts.values()]
    counts = new Map()
    return taken
  }

  const { wake, settle } = makeHandOver<Refused>({
    ...options,
    task: 'refusal counts',
    together: TOGETHER_MAX,
    take,
    keep: add,
    isEmpty: () => counts.size === 0,
  })

  return {
    count: ({ way, clientId }: Attempt, source: Source): void => {
      add({ way, client: clientId ?? '', source, count: 1 })
      wake()
    },
    /** Hands over what it holds. Never rejects. */
    settle,
  }
}

type EntryRow = Record<'number' | 'at', number> &
  Record<'kind' | 'actor' | 'detail', string> &
  Record<'source' | 'requestId' | 'subject' | 'note', string | null>

const entryOf = ({ actor, detail: json, ...rest }: EntryRow): AuditEntry => {
  // Both were written by audit() from these types.
  const detail = JSON.parse(json) as AuditEntry['detail']
  const agentId = rest.kind.startsWith('agent.') ? rest.subject : detail['agent_id']
  return { ...rest, actor: JSON.parse(actor) as Actor, detail, agentId: typeof agentId === 'string' ? agentId : null }
}

const ENTRIES = {
  table: 'audit',
  columns: 'n as number, at, kind, actor, source, request_id as "requestId", subject, note, detail',
} as const

const ALL: Scan = { ...ENTRIES, index: 'audit_at', only: null }

const scanBy = (index: string, column: string, value: string): Scan => ({ ...ENTRIES, index, only: { column, value } })

/** The index of what the fewest entries can have. */
const scanOf = (filters: AuditFilters): Scan => {
  const { requestId, subject, kind } = filters
  const actor = onlyActor(filters)
  if (requestId !== null) return scanBy('audit_request', 'request_id', requestId)
  if (subject !== null) return scanBy('audit_subject', 'subject', subject)
  if (actor !== null) return scanBy('audit_actor', 'actor', JSON.stringify(actor))
  if (kind !== null) return scanBy('audit_kind', 'kind', kind)
  return ALL
}

const listAudit = (request: PageRequest<AuditFilters>): Program<Page<AuditEntry>> =>
  readNewest<EntryRow, AuditEntry>(
    { scan: scanOf(request.filters), read: entryOf, keeps: entry => isAskedFor(entry, request.filters) },
    request,
  )

/** The same of the one entry of the act that ended a token. */
const listEnd = (nameCaches: NameCaches, tokenId: string, request: PageRequest<AuditFilters>) =>
  function* (snapshot: Snapshot): Program<Page<AuditEntry>> {
    const { filters } = request
    const end = yield* findEnd(snapshot, nameCaches, tokenId)
    if (end === undefined) return { records: [], next: null, examined: 0 }
    const since = Math.max(filters.since ?? end.at, end.at)
    const before = Math.min(filters.before ?? end.at + 1, end.at + 1)
    const keeps = (entry: AuditEntry): boolean => isAskedFor(entry, filters) && end.is(entry)
    return yield* readNewest(
      { scan: ALL, read: entryOf, keeps },
      { ...request, filters: { ...filters, since, before } },
    )
  }

type RefusedRow = { number: number; at: number; way: Way; client: string; source: string; count: number }

const refusalOf = ({ number, at, way, client, source, count }: RefusedRow): RefusalCount => ({
  number,
  minute: at,
  way,
  clientId: client === '' ? null : client,
  source: source === '' ? null : source,
  count,
})

const REFUSED: Scan = {
  table: 'refused',
  columns: 'n as number, at, way, client, source, count',
  index: 'refused_at',
  only: null,
}

const listRefusals = (request: PageRequest<RefusalFilters>): Program<Page<RefusalCount>> => {
  const { way, clientId, source } = request.filters
  const keeps = (one: RefusalCount): boolean =>
    (way === null || one.way === way) &&
    (clientId === null || one.clientId === clientId) &&
    (source === null || (one.source !== null && unmapped(one.source) === source))
  return readNewest<RefusedRow, RefusalCount>({ scan: REFUSED, read: refusalOf, keeps }, request)
}

type Parts = {
  readonly nameCaches: NameCaches
  readonly timing: Pick<Timing, 'handOverMs'>
  readonly onFault: OnFault
}

export const makeAuditLog = (
  reader: Reader,
  writer: Writer,
  { nameCaches, timing, onFault }: Parts,
): AuditLog & { readonly settle: () => Promise<void> } => {
  const counter = makeRefusalCounter({ handOver: refused => writer.call('countRefusals', refused), timing, onFault })
  return {
    list: request => {
      const { endedToken } = request.filters
      if (endedToken === null) return reader.readUntimed(() => namePage(listAudit(request), request.named))
      return reader.read(snapshot => namePage(listEnd(nameCaches, endedToken, request)(snapshot), request.named))
    },
    listRefusals: request => reader.readUntimed(() => namePage(listRefusals(request), request.named)),
    countRefusal: counter.count,
    /** Hands over what it has counted and not handed over yet. Never rejects. */
    settle: counter.settle,
  }
}
