// Writes where tokens were used: a bounded number of rows a minute, also where several processes count in one minute.
import { rowsOf } from '../../rows.ts'
import { PAIRS_A_MINUTE_MAX, USES_KEPT_DAYS } from '../../../../../api/values/usage.ts'
import { DAY_MS, type Milliseconds } from '../../../../../api/values/time.ts'
import { MINUTE_MS } from '../../lists/ended-minutes.ts'
import { inBlocks } from '../../lists/name-conditions.ts'
import { all, run, type Program, type Value, first } from '../../statement-program.ts'
import type { Transaction } from '../../transaction.ts'
import { atOf, type EndedUse, type Numbers, writeLateUses, type Ages, type Whose } from './count-late-uses.ts'
import { usesSince } from '../../../domain/clients/token-use.ts'
import type { AgentUses } from '../../../domain/clients/verifier.ts'

type PairUse = Ages & Whose & Readonly<Record<'active' | 'inactive' | 'afterEnd', number>> & { readonly uses?: number }

type Report = { readonly apiKeyId: string; readonly name: string; readonly uses: readonly AgentUses[] }

const COUNTED = 'select counted_uses as counted from verifier where api_key = ? and name = ?'
const NOTE = 'update verifier set counted_uses = ? where api_key = ? and name = ?'

const placeOf = ({ apiKeyId, name }: Report): string => apiKeyId + name

/**
 * What was used since the reports before. The first report of a verifier is where counting begins: one that was forgotten, and is
 * back, would bring the uses of weeks in one minute. Runs where no other process counts in the same minute.
 */
function* countReported(reports: readonly Report[]): Program<readonly PairUse[]> {
  const added: PairUse[] = []
  // In one order: what writes the positions of verifiers takes their rows in the same.
  for (const report of reports.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))) {
    const { apiKeyId, name, uses } = report
    const row = yield* first<{ counted: string | null }>(COUNTED, apiKeyId, name)
    if (row === undefined) continue
    const before = row.counted === null ? uses : (JSON.parse(row.counted) as readonly AgentUses[]) // written below
    const since = usesSince(before, uses)
    const counted = JSON.stringify(since.counted)
    if (counted === row.counted) continue
    yield* run(NOTE, counted, apiKeyId, name)
    for (const { agent_id: agentId, count } of since.added) {
      const nothing = { active: 0, inactive: 0, afterEnd: 0, firstAgoMs: 0, lastAgoMs: 0 }
      added.push({ apiKeyId, agentId, isOutside: false, ...nothing, uses: count })
    }
  }
  return added
}

export type UseBatch = {
  readonly pairs: readonly PairUse[]
  readonly ended: readonly EndedUse[]
  readonly reports: readonly Report[]
}

type Moment = Pick<Transaction, 'now'>

type Key = Readonly<Record<'agent' | 'apiKey' | 'outside', number>>

type PairRow = Key & Record<'active' | 'inactive' | 'afterEnd' | 'uses' | 'firstAt' | 'lastAt', number>

const keyOf = ({ agent, apiKey, outside }: Key): string => `${agent} ${apiKey} ${outside}`

// The row of all others: the process that has written it, if with zeros, has the minute to itself until the commit.
const BEGIN = `insert into token_use (at, agent, api_key, outside, active, inactive, after_end, uses, first_at, last_at)
  values (?, 0, 0, 0, 0, 0, 0, 0, ?, 0) on conflict (at, agent, api_key, outside) do update set active = token_use.active`

const KEYS = 'select agent, api_key as "apiKey", outside from token_use where at = ?'

const upsertOf = (count: number): string =>
  `insert into token_use (at, agent, api_key, outside, active, inactive, after_end, uses, first_at, last_at)
    values ${rowsOf(count, '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')}
    on conflict (at, agent, api_key, outside) do update set
      active = token_use.active + excluded.active,
      inactive = token_use.inactive + excluded.inactive,
      after_end = token_use.after_end + excluded.after_end,
      uses = token_use.uses + excluded.uses,
      first_at = case when excluded.first_at < token_use.first_at then excluded.first_at else token_use.first_at end,
      last_at = case when excluded.last_at > token_use.last_at then excluded.last_at else token_use.last_at end`

/** The numbers of these ids; an id that is not there has none. */
function* numbersOf(table: 'agent' | 'api_key', ids: readonly string[]): Program<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>()
  const wanted = [...new Set(ids)].filter(id => id !== '')
  for (const { sql, values } of inBlocks('id', wanted)) {
    const text = `select id, n from ${table} where ${sql}`
    for (const { id, n } of yield* all<{ id: string; n: number }>(text, ...values)) numbers.set(id, n)
  }
  return numbers
}

const OTHERS: Key = { agent: 0, apiKey: 0, outside: 0 }

/** Adds up what is of one pair; pairs for which the minute has no room are the one row of all others. */
const gather = (uses: readonly PairRow[], known: ReadonlySet<string>, room: number): readonly PairRow[] => {
  const gathered = new Map<string, PairRow>()
  let left = room
  for (const use of uses) {
    const isThere = known.has(keyOf(use)) || gathered.has(keyOf(use))
    const fits = isThere || left > 0
    if (!isThere && fits) left -= 1
    const key = fits ? keyOf(use) : keyOf(OTHERS)
    const sum = gathered.get(key)
    if (sum === undefined) {
      gathered.set(key, fits ? { ...use } : { ...use, ...OTHERS })
      continue
    }
    for (const member of ['active', 'inactive', 'afterEnd', 'uses'] as const) sum[member] += use[member]
    sum.firstAt = Math.min(sum.firstAt, use.firstAt)
    sum.lastAt = Math.max(sum.lastAt, use.lastAt)
  }
  return [...gathered.values()]
}

const pairRow = (now: Milliseconds, { agents, apiKeys }: Numbers, use: PairUse): PairRow => {
  const apiKey = apiKeys.get(use.apiKeyId) ?? 0
  const whose = apiKey === 0 ? OTHERS : { agent: agents.get(use.agentId) ?? 0, apiKey, outside: use.isOutside ? 1 : 0 }
  const { active, inactive, afterEnd, uses = 0 } = use
  const [firstAt, lastAt] = [atOf(now, use.firstAgoMs), atOf(now, use.lastAgoMs)]
  return { ...whose, active, inactive, afterEnd, uses, firstAt, lastAt }
}

function* writePairs(minute: Milliseconds, uses: readonly PairRow[]): Program<void> {
  const known = new Set((yield* all<Key>(KEYS, minute)).map(keyOf))
  const rows = gather(uses, known, PAIRS_A_MINUTE_MAX + 1 - known.size)
  if (rows.length === 0) return
  const values = rows.flatMap((row): readonly Value[] => {
    const { agent, apiKey, outside, active, inactive, afterEnd, uses: used, firstAt, lastAt } = row
    return [minute, agent, apiKey, outside, active, inactive, afterEnd, used, firstAt, lastAt]
  })
  yield* run(upsertOf(rows.length), ...values)
}

/** An introspection of a token that had ended is one of its agent and API key too. */
const pairOf = ({ count, ...use }: EndedUse): PairUse => ({ ...use, active: 0, inactive: count, afterEnd: count })

/** Adds to the minute in which it runs, by few statements: acts wait for them. */
export function* countUses({ now }: Moment, { pairs, ended, reports }: UseBatch): Program<null> {
  const minute = MINUTE_MS * Math.floor(now / MINUTE_MS)
  yield* run(BEGIN, minute, Number.MAX_SAFE_INTEGER)
  const reported = yield* countReported(reports)
  const uses = [...pairs, ...ended.map(pairOf), ...reported]
  const [agentIds, apiKeyIds] = [uses.map(({ agentId }) => agentId), uses.map(({ apiKeyId }) => apiKeyId)]
  const numbers = { agents: yield* numbersOf('agent', agentIds), apiKeys: yield* numbersOf('api_key', apiKeyIds) }
  const rows = uses.map(use => pairRow(now, numbers, use))
  yield* writePairs(minute, rows)
  yield* writeLateUses({ now, minute, numbers }, ended)
  return null
}

const USES_KEPT_MS = USES_KEPT_DAYS * DAY_MS

const OLD = {
  pairs: 'delete from token_use where n in (select n from token_use where at < ? order by at limit ?)',
  late: 'delete from late_use where n in (select n from late_use where at < ? order by at limit ?)',
} as const

/** Removes what was kept long enough, at most so many rows of each kind; how many. */
export function* removeOldUses({ now }: Moment, rowsMax: number): Program<number> {
  const before = now - USES_KEPT_MS
  return (yield* run(OLD.pairs, before, rowsMax)) + (yield* run(OLD.late, before, rowsMax))
}

/** Deletes all uses after the clock was set back: what was counted by another clock lies in the future. */
export function* dropAllUses(): Program<number> {
  return (yield* run('delete from token_use')) + (yield* run('delete from late_use'))
}
