// Writes which tokens were used after their end, and how often: a bounded number of new rows a minute.
import { rowsOf } from '../../rows.ts'
import { ENDED_A_MINUTE_MAX, EXPIRED_A_MINUTE_MAX } from '../../../../../api/values/usage.ts'
import type { Milliseconds, Seconds } from '../../../../../api/values/time.ts'
import { bytesOfId, idOfBytes } from '../../rows.ts'
import { all, run, type Program, type Value } from '../../statement-program.ts'

/** The time since the first and the last use, by a clock that nobody sets. */
export type Ages = { readonly firstAgoMs: number; readonly lastAgoMs: number }

export type Whose = { readonly apiKeyId: string; readonly agentId: string; readonly isOutside: boolean }

/** `expiresAt` is null if something ended the token before it expired. */
export type EndedUse = Ages &
  Whose & { readonly tokenId: string; readonly expiresAt: Seconds | null; readonly count: number }

/** The numbers of agents and API keys, by id. */
export type Numbers = Readonly<Record<'agents' | 'apiKeys', ReadonlyMap<string, number>>>

export const atOf = (now: Milliseconds, agoMs: number): Milliseconds =>
  now - Math.min(now, Math.max(0, Math.round(agoMs)))

type LateRow = { readonly tokenId: string } & Readonly<
  Record<'agent' | 'apiKey' | 'outside' | 'expired' | 'count' | 'firstAt' | 'lastAt', number>
>

const lateKey = ({ tokenId, apiKey }: Pick<LateRow, 'tokenId' | 'apiKey'>): string => `${tokenId} ${apiKey}`

const lateUpsertOf = (count: number): string =>
  `insert into late_use (at, first_at, token, agent, api_key, outside, expired, count, minute)
    values ${rowsOf(count, '(?, ?, ?, ?, ?, ?, ?, ?, ?)')}
    on conflict (token, api_key) do update set
      at = case when excluded.at > late_use.at then excluded.at else late_use.at end,
      first_at = case when excluded.first_at < late_use.first_at then excluded.first_at else late_use.first_at end,
      expired = case when excluded.expired < late_use.expired then excluded.expired else late_use.expired end,
      count = late_use.count + excluded.count`

const BEGUN = 'select expired, count(*) as count from late_use where minute = ? group by expired'

function* knownLate(rows: readonly LateRow[]): Program<ReadonlySet<string>> {
  const tokens = [...new Set(rows.map(({ tokenId }) => tokenId))].map(bytesOfId)
  const text = `select token, api_key as "apiKey" from late_use where token in (${rowsOf(tokens.length, '?')})`
  const known = yield* all<{ token: Uint8Array; apiKey: number }>(text, ...tokens)
  return new Set(known.map(({ token, apiKey }) => lateKey({ tokenId: idOfBytes(token), apiKey })))
}

/** Tokens that something ended come first, and those that only expired get a part of the rows. */
function* fitLate(minute: Milliseconds, rows: readonly LateRow[]): Program<readonly LateRow[]> {
  const known = yield* knownLate(rows)
  const begun = new Map<number, number>()
  for (const { expired, count } of yield* all<{ expired: number; count: number }>(BEGUN, minute))
    begun.set(expired, count)
  let expiredLeft = EXPIRED_A_MINUTE_MAX - (begun.get(1) ?? 0)
  let left = ENDED_A_MINUTE_MAX - (begun.get(0) ?? 0) - (begun.get(1) ?? 0)
  return rows
    .toSorted((a, b) => a.expired - b.expired)
    .filter(row => {
      if (known.has(lateKey(row))) return true
      if (left <= 0 || (row.expired === 1 && expiredLeft <= 0)) return false
      left -= 1
      expiredLeft -= row.expired
      return true
    })
}

/** A token that was presented twice under two spellings of its bytes is one. */
const oneEach = (rows: readonly LateRow[]): readonly LateRow[] => {
  const each = new Map<string, LateRow>()
  for (const row of rows) {
    const before = each.get(lateKey(row)) ?? { ...row, count: 0 }
    each.set(lateKey(row), {
      ...row,
      expired: Math.min(before.expired, row.expired),
      count: before.count + row.count,
      firstAt: Math.min(before.firstAt, row.firstAt),
      lastAt: Math.max(before.lastAt, row.lastAt),
    })
  }
  return [...each.values()]
}

const lateRow = (now: Milliseconds, { agents, apiKeys }: Numbers, use: EndedUse): LateRow => {
  const lastAt = atOf(now, use.lastAgoMs)
  return {
    tokenId: use.tokenId,
    agent: agents.get(use.agentId) ?? 0,
    apiKey: apiKeys.get(use.apiKeyId) ?? 0,
    outside: use.isOutside ? 1 : 0,
    expired: use.expiresAt !== null && 1000 * use.expiresAt <= lastAt ? 1 : 0,
    count: use.count,
    firstAt: atOf(now, use.firstAgoMs),
    lastAt,
  }
}

/** Adds to the rows of these tokens, in the minute that nobody else writes meanwhile. */
export function* writeLateUses(
  { now, minute, numbers }: { readonly now: Milliseconds; readonly minute: Milliseconds; readonly numbers: Numbers },
  ended: readonly EndedUse[],
): Program<void> {
  const late = ended.map(use => lateRow(now, numbers, use)).filter(({ apiKey }) => apiKey !== 0)
  if (late.length === 0) return
  const fitting = yield* fitLate(minute, oneEach(late))
  // In one order: two processes that write the same tokens never deadlock.
  const rows = fitting.toSorted((a, b) => (lateKey(a) < lateKey(b) ? -1 : 1))
  if (rows.length === 0) return
  const values = rows.flatMap((row): readonly Value[] => {
    const { tokenId, agent, apiKey, outside, expired, count, firstAt, lastAt } = row
    return [lastAt, firstAt, bytesOfId(tokenId), agent, apiKey, outside, expired, count, minute]
  })
  yield* run(lateUpsertOf(rows.length), ...values)
}
