// Reads which agents ask for tokens, and how many of theirs are live: a few rows an agent, in pieces.
import { scheduler } from 'node:timers/promises'
import {
  type AgentActivity,
  type AgentUsage,
  compareActivity,
  slotOf,
  sumInWindow,
  USAGE_WINDOWS,
  type UsageWindow,
} from '../../../domain/clients/agent-usage.ts'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import { countLiveOfAgents } from '../../ledger/count-agents.ts'
import type { Reader, Snapshot } from '../../snapshot.ts'
import { all, given, type Program } from '../../statement-program.ts'
import { type Condition, isAnyOf } from '../../lists/name-conditions.ts'

/** Agents whose live tokens are counted in one snapshot: some milliseconds. */
const TOGETHER_MAX = 20
/** Rows of usage that are read at once. */
const ROWS_MAX = 2000
/** Rows that an answer judges one by one while a cut-off is open. */
const JUDGED_MAX = 50_000

const USAGE = 'select agent, issued, refused, last_at as "lastAt" from agent_usage where slot_ms = ? and slot = ?'
const SLOT = `${USAGE} and agent > ? order by agent limit ?`

type SlotRow = Readonly<Record<'agent' | 'issued' | 'refused' | 'lastAt', number>>

/** What an agent got in a window; `cut` is of the slot in which it begins. */
type Sums = { issued: Sum; refused: Sum; lastAt: Milliseconds }

type Sum = { whole: number; cut: number }

const addRow = (sums: Map<number, Sums>, { agent, issued, refused, lastAt }: SlotRow, part: keyof Sum): void => {
  const known = sums.get(agent) ?? { issued: { whole: 0, cut: 0 }, refused: { whole: 0, cut: 0 }, lastAt: 0 }
  known.issued[part] += issued
  known.refused[part] += refused
  known.lastAt = Math.max(known.lastAt, lastAt)
  sums.set(agent, known)
}

/** Which agents are read: those with these numbers; undefined: all. */
type Among = readonly number[] | undefined

const NOBODY: Condition = { sql: 'false', values: [] }

const isAmong = (column: string, values: readonly (string | number)[]): Condition =>
  isAnyOf(column, values)[0] ?? NOBODY

/** Reads the rows of a slot; of all agents in pieces. */
async function* piecesOf({ read }: Reader, { slotMs }: UsageWindow, slot: Milliseconds, among: Among) {
  if (among !== undefined) {
    const { sql, values } = isAmong('agent', among)
    yield await read(() => all<SlotRow>(`${USAGE} and ${sql}`, slotMs, slot, ...values))
    return
  }
  let after = -1
  for (;;) {
    const rows = await read(() => all<SlotRow>(SLOT, slotMs, slot, after, ROWS_MAX))
    await scheduler.yield()
    yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_MAX) return
    after = last.agent
  }
}

type Moment = { readonly now: Milliseconds; readonly among: Among }

const readSums = async (
  reader: Reader,
  window: UsageWindow,
  { now, among }: Moment,
): Promise<ReadonlyMap<number, Sums>> => {
  const sums = new Map<number, Sums>()
  const from = now - window.windowMs
  for (let slot = slotOf(window, now); slot > from - window.slotMs; slot -= window.slotMs) {
    const part = slot > from ? 'whole' : 'cut'
    for await (const rows of piecesOf(reader, window, slot, among)) for (const row of rows) addRow(sums, row, part)
  }
  return sums
}

type Active = AgentActivity & { readonly agent: number }

const readActive = async (reader: Reader, limit: number, among: Among): Promise<readonly Active[]> => {
  const now = await reader.read(snapshot => given(snapshot.now))
  const moment = { now, among }
  const { minute, hour, day } = USAGE_WINDOWS
  const [ofMinute, ofHour] = [await readSums(reader, minute, moment), await readSums(reader, hour, moment)]
  const ofDay = await readSums(reader, day, moment)
  const issuedIn = (window: UsageWindow, sums: Sums | undefined): number =>
    sums === undefined ? 0 : sumInWindow(window, now, sums.issued)
  const active = (among ?? [...ofDay.keys()]).map((agent): Active => {
    const lastAt = ofDay.get(agent)?.lastAt ?? 0
    const refused = ofHour.get(agent)?.refused
    return {
      agent,
      tokensLastMinute: issuedIn(minute, ofMinute.get(agent)),
      tokensLastHour: issuedIn(hour, ofHour.get(agent)),
      tokensLastDay: issuedIn(day, ofDay.get(agent)),
      refusals: refused === undefined ? 0 : sumInWindow(hour, now, refused),
      lastIssuedAt: lastAt === 0 ? null : lastAt,
    }
  })
  return active.toSorted((a, b) => compareActivity(a, b) || a.agent - b.agent).slice(0, limit)
}

type NameRow = {
  readonly n: number
  readonly id: string
  readonly name: string
  readonly owner: string | null
  readonly disabledAt: Milliseconds | null
  readonly deletedAt: Milliseconds | null
}

const NAMES = 'select n, id, name, owner, disabled_at as "disabledAt", deleted_at as "deletedAt" from agent where '

const LAST_USES = 'select agent, max(last_used_at) as "lastUsedAt" from credential where'

const stateOf = ({ disabledAt, deletedAt }: NameRow): AgentUsage['state'] => {
  if (deletedAt !== null) return 'deleted'
  return disabledAt === null ? 'active' : 'disabled'
}

const nameAll = (active: readonly Active[], judgedMax: number) =>
  function* (snapshot: Snapshot): Program<{ readonly usages: readonly AgentUsage[]; readonly judged: number }> {
    const agents = active.map(({ agent }) => agent)
    const [those, theirs] = [isAmong('n', agents), isAmong('agent', agents)]
    const rows = yield* all<NameRow>(NAMES + those.sql, ...those.values)
    const lastUses = yield* all<{ readonly agent: number; readonly lastUsedAt: Milliseconds | null }>(
      `${LAST_USES} ${theirs.sql} group by agent`,
      ...theirs.values,
    )
    const usedAt = new Map(lastUses.map(({ agent, lastUsedAt }) => [agent, lastUsedAt]))
    const names = new Map(rows.map(row => [row.n, row]))
    const { counts, judged } = yield* countLiveOfAgents(snapshot, agents, judgedMax)
    const usages = active.flatMap(({ agent, ...activity }): readonly AgentUsage[] => {
      const row = names.get(agent)
      if (row === undefined) return []
      const liveTokens = counts.get(agent) ?? { count: 0, isExact: true }
      const { id: agentId, name, owner } = row
      const lastUsedAt = usedAt.get(agent) ?? null
      return [{ ...activity, agentId, name, owner, state: stateOf(row), liveTokens, lastUsedAt }]
    })
    return { usages, judged }
  }

/** Reads usage in the order of {@link compareActivity}. Yields between pieces to other requests: SQLite answers within one turn. */
export const readUsage = async (reader: Reader, limit: number, among?: Among): Promise<readonly AgentUsage[]> => {
  const active = await readActive(reader, limit, among)
  const usages: AgentUsage[] = []
  let left = JUDGED_MAX
  for (let from = 0; from < active.length; from += TOGETHER_MAX) {
    await scheduler.yield()
    const read = await reader.read(nameAll(active.slice(from, from + TOGETHER_MAX), left))
    usages.push(...read.usages)
    left -= read.judged
  }
  return usages
}

/** The same for agents by their ids; of those that are none of the store's there is nothing. */
export const readUsageOf = async (
  reader: Reader,
  agentIds: readonly string[],
  limit: number,
): Promise<readonly AgentUsage[]> => {
  const numbers = await reader.read(function* () {
    const { sql, values } = isAmong('id', agentIds)
    return yield* all<{ readonly n: number }>(`select n from agent where ${sql}`, ...values)
  })
  const among = numbers.map(({ n }) => n)
  return readUsage(reader, limit, among)
}
