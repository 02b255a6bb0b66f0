// Reads what was issued, refused, introspected and ended over time: a few points in a piece, and between pieces other requests
// get their turn.
import { scheduler } from 'node:timers/promises'
import { COUNT_EXACT_MAX } from '../../../../../api/values/lists.ts'
import { REASONS, type Reason } from '../../../../../api/values/reason.ts'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import { SERIES_ENDS_MAX, SERIES_WINDOWS } from '../../../../../api/values/usage.ts'
import type { Count } from '../../../domain/clients/credential.ts'
import {
  type SeriesPoint,
  type SeriesRequest,
  seriesSlots,
  type UsageSeries,
} from '../../../domain/clients/usage-series.ts'
import { numberOf } from '../../lists/asked-numbers.ts'
import type { Reader } from '../../snapshot.ts'
import { all, byIndex, first, only, type Program } from '../../statement-program.ts'

/** Points that are summed by one statement: at most so many rows of each agent. */
const POINTS_TOGETHER = 10

type Issued = { readonly slot: Milliseconds; readonly issued: number; readonly refused: number }
type Used = { readonly slot: Milliseconds; readonly active: number; readonly inactive: number }

/** `agent` is null for all agents together. */
type Piece = { readonly slots: readonly Milliseconds[]; readonly slotMs: number; readonly agent: number | null }

const ISSUED = `select slot, cast(sum(issued) as bigint) as issued, cast(sum(refused) as bigint) as refused
  from agent_usage where slot_ms = ? and slot >= ? and slot <= ? group by slot`

// The key begins with the slot: an agent is found in each one.
const issuedOf = (slots: number): string => `select slot, issued, refused from agent_usage
  where slot_ms = ? and agent = ? and slot in (${Array.from({ length: slots }, () => '?').join(', ')})`

const usedIn = (where: string): string =>
  `select at - at % ? as slot, cast(sum(active) as bigint) as active, cast(sum(inactive) as bigint) as inactive
    from token_use ${where} and at >= ? and at < ? group by 1`

const USED = usedIn(`${byIndex('token_use_at')} where true`)
const USED_OF = usedIn(`${byIndex('token_use_agent')} where agent = ?`)

const readIssued = ({ slots, slotMs, agent }: Piece): Program<readonly Issued[]> =>
  agent === null
    ? all<Issued>(ISSUED, slotMs, slots[0] ?? 0, slots.at(-1) ?? 0)
    : all<Issued>(issuedOf(slots.length), slotMs, agent, ...slots)

const readUsed = ({ slots, slotMs, agent }: Piece): Program<readonly Used[]> => {
  const [from, before] = [slots[0] ?? 0, (slots.at(-1) ?? 0) + slotMs]
  return agent === null ? all<Used>(USED, slotMs, from, before) : all<Used>(USED_OF, slotMs, agent, from, before)
}

function* readPiece(piece: Piece) {
  const issued = new Map((yield* readIssued(piece)).map(row => [row.slot, row]))
  const used = new Map((yield* readUsed(piece)).map(row => [row.slot, row]))
  return piece.slots.map(from => ({
    from,
    issued: issued.get(from)?.issued ?? 0,
    refused: issued.get(from)?.refused ?? 0,
    active: used.get(from)?.active ?? 0,
    inactive: used.get(from)?.inactive ?? 0,
  }))
}

const endedIn = (range: string) => ({
  last: `select at from ended ${range} and at >= ? and at < ? order by at desc limit 1`,
  count: `select count(*) as count from (select 1 as one from ended ${range} and at >= ? and at < ? limit ?) as counted`,
})

const ENDED = {
  ofAll: endedIn(`${byIndex('ended_reason')} where reason = ?`),
  ofAgent: endedIn(`${byIndex('ended_agent')} where agent = ? and reason = ?`),
} as const

type Ends = ReadonlyMap<Milliseconds, Count>

/** Steps from the newest slot with ends to the one before it; counts at most `countedMax` rows, and at least that there are some. */
function* readEnds(reason: Reason, { slots, slotMs, agent }: Piece, countedMax: number): Program<Ends> {
  const { last, count } = agent === null ? ENDED.ofAll : ENDED.ofAgent
  const keys = agent === null ? [REASONS[reason]] : [agent, REASONS[reason]]
  const ends = new Map<Milliseconds, Count>()
  const from = slots[0] ?? 0
  let [before, left] = [(slots.at(-1) ?? 0) + slotMs, countedMax]
  for (;;) {
    const newest = yield* first<{ at: Milliseconds }>(last, ...keys, from, before)
    if (newest === undefined) return ends
    const slot = newest.at - (newest.at % slotMs)
    const most = Math.max(1, Math.min(COUNT_EXACT_MAX, left))
    const counted = (yield* only<{ count: number }>(count, ...keys, slot, before, most + 1)).count
    ends.set(slot, { count: Math.min(counted, most), isExact: counted <= most })
    left -= counted
    before = slot
  }
}

const EARLY_REASONS = (Object.keys(REASONS) as readonly Reason[]).filter(reason => reason !== 'expired')

const readEndsByReason = async ({ read }: Reader, piece: Piece): Promise<readonly (readonly [Reason, Ends])[]> => {
  const found: (readonly [Reason, Ends])[] = []
  let left = SERIES_ENDS_MAX
  for (const reason of EARLY_REASONS) {
    const ends = await read(() => readEnds(reason, piece, left))
    for (const { count } of ends.values()) left -= count
    if (ends.size > 0) found.push([reason, ends])
    await scheduler.yield()
  }
  return found
}

/** Returns undefined if no agent has the id; a deleted agent still has its series. */
export const readSeries = async (
  reader: Reader,
  { over, agentId }: SeriesRequest,
): Promise<UsageSeries | undefined> => {
  const { at, agent } = await reader.read(function* ({ now }) {
    return { at: now, agent: yield* numberOf('agent', agentId) }
  })
  if (agent === undefined) return undefined
  const [slots, slotMs] = [seriesSlots(over, at), 1000 * SERIES_WINDOWS[over].pointSeconds]
  const ends = await readEndsByReason(reader, { slots, slotMs, agent })
  const points: SeriesPoint[] = []
  for (let begin = 0; begin < slots.length; begin += POINTS_TOGETHER) {
    const piece = { slots: slots.slice(begin, begin + POINTS_TOGETHER), slotMs, agent }
    const read = await reader.read(() => readPiece(piece))
    for (const point of read) {
      const ended = ends.flatMap(([reason, ofReason]) => {
        const count = ofReason.get(point.from)
        return count === undefined ? [] : [{ reason, ...count }]
      })
      points.push({ ...point, ended })
    }
    await scheduler.yield()
  }
  return { at, over, points }
}
