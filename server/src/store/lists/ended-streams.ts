// Key ranges of `ended`, latest end first.
import type { HistoryFilters, Position } from '../../domain/page.ts'
import { type Reason, REASONS } from '../../domain/reason.ts'
import { ABOVE_EVERY_ID } from '../../domain/token-id.ts'
import { bytesOfId, idOfBytes } from '../rows.ts'
import { all, byIndex } from '../script.ts'
import type { Snapshot } from '../snapshot.ts'
import { justBefore, LIFETIME_MS_MAX, overClosedMinutes } from './ended-minutes.ts'
import type { Stream } from './merge.ts'
import type { Access } from './token-streams.ts'

/** A row of `ended`. */
export type EndedRow = {
  readonly id: Uint8Array
  readonly life: number
  readonly agent: number
  readonly cred: number
  readonly key: number
  readonly scope: number
  readonly aud: number
  readonly at: number
  readonly reason: number
  readonly act: number
}

export type EndedStreamRow = {
  readonly kind: 'ended'
  readonly at: number
  readonly id: string
  readonly ended: EndedRow
  readonly scope: readonly string[]
  readonly audience: readonly string[]
}

const RANGE = '(at, id) < (?, ?) and at >= ? order by at desc, id desc limit ?'
export const ENDED_COLUMNS = 'id, life, agent, cred, key, scope, aud, at, reason, act'
// Left to itself SQLite takes the index by reason for an agent too, and reads every row of that reason.
const SELECT = {
  life: `select ${ENDED_COLUMNS} from ended ${byIndex('ended_reason')} where reason = ? and ${RANGE}`,
  agent: `select ${ENDED_COLUMNS} from ended ${byIndex('ended_agent')} where agent = ? and reason = ? and ${RANGE}`,
  scope: `select ${ENDED_COLUMNS} from ended ${byIndex('ended_scope')} where scope = ? and ${RANGE}`,
} as const

/** The statements above, for the test that reads their plans. */
export const ENDED_RANGE_STATEMENTS: readonly string[] = Object.values(SELECT)

const topOf = ({ endedBefore, issuedBefore }: HistoryFilters, after: Position | null): Position => {
  const bounds = [
    endedBefore ?? Number.POSITIVE_INFINITY,
    issuedBefore === null ? Number.POSITIVE_INFINITY : issuedBefore + LIFETIME_MS_MAX,
  ]
  const at = Math.min(...bounds)
  const top = Number.isFinite(at) ? justBefore(at) : ABOVE_ALL
  return after !== null && (after.at < top.at || (after.at === top.at && after.id < top.id)) ? after : top
}

const ABOVE_ALL: Position = { at: Number.MAX_SAFE_INTEGER, id: ABOVE_EVERY_ID }

const keysOf = (access: Access, reasons: readonly Reason[]): readonly (readonly number[])[] => {
  switch (access.by) {
    case 'life':
      return reasons.map(reason => [REASONS[reason]])
    case 'agent':
      return reasons.map(reason => [access.n, REASONS[reason]])
    case 'scope':
      return reasons.length === 0 ? [] : [[access.n]]
  }
}

/** Streams over the tokens that were ended early; `expired` is none of their reasons. */
export const endedStreams = (
  { sets }: Snapshot,
  access: Access,
  filters: HistoryFilters,
  { after: position, reasons }: { readonly after: Position | null; readonly reasons: readonly Reason[] },
): readonly Stream<EndedStreamRow>[] => {
  const top = topOf(filters, position)
  const floor = Math.max(filters.endedAfter ?? 0, filters.issuedAfter ?? 0)
  const overClosed = overClosedMinutes(filters, top)
  return keysOf(access, reasons).map(keys => ({
    ceiling: Number.POSITIVE_INFINITY,
    fetch: function* (after, limit) {
      const below = yield* overClosed(after ?? top)
      const found: EndedStreamRow[] = []
      for (const ended of yield* all<EndedRow>(
        SELECT[access.by],
        ...keys,
        below.at,
        bytesOfId(below.id),
        floor,
        limit,
      )) {
        const { items: scope } = sets.scope.known(ended.scope) ?? (yield* sets.scope.read(ended.scope))
        const audience = sets.audience.known(ended.aud) ?? (yield* sets.audience.read(ended.aud))
        found.push({ kind: 'ended', at: ended.at, id: idOfBytes(ended.id), ended, scope, audience })
      }
      return found
    },
  }))
}
