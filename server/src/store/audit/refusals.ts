// Counts refused authentications by what was presented, address and minute, in a bounded number of rows a minute.
import { REFUSALS_A_MINUTE_MAX } from '../../domain/audit/attempt.ts'
import type { Way } from '../../../../api/values/audit.ts'
import type { Source } from '../../domain/source.ts'
import { MINUTE_MS } from '../lists/ended-minutes.ts'
import { rowsOf } from '../rows.ts'
import { all, only, run, type Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'

/** Counts of one thread. An empty client is none of ours; an empty source, all that are not counted apart. */
export type Refused = {
  readonly way: Way
  readonly client: string
  readonly source: Source | ''
  readonly count: number
}

const COUNT = `select count(*) as count from refused where at = ? and source <> ''`
const KEYS = 'select way, client, source from refused where at = ?'

const upsertOf = (rows: number): string =>
  `insert into refused (at, way, client, source, count)
    values ${rowsOf(rows, '(?, ?, ?, ?, ?)')}
    on conflict (at, way, client, source) do update set count = refused.count + excluded.count`

type Key = Omit<Refused, 'count'>

export const refusalKey = ({ way, client, source }: Key): string => JSON.stringify([way, client, source])

/** Returns those that have a row in this minute or get one, and all others as one row for each way. */
function* fit(refused: readonly Refused[], minute: number, rows: number): Program<readonly Refused[]> {
  const known = new Set((yield* all<Key>(KEYS, minute)).map(refusalKey))
  const fitting = new Map<string, Refused>()
  let room = REFUSALS_A_MINUTE_MAX - rows
  for (const one of refused) {
    const isKnown = one.source === '' || known.has(refusalKey(one))
    if (!isKnown) room -= 1
    const kept: Refused = isKnown || room >= 0 ? one : { ...one, client: '', source: '' }
    const key = refusalKey(kept)
    fitting.set(key, { ...kept, count: kept.count + (fitting.get(key)?.count ?? 0) })
  }
  return [...fitting.values()]
}

/**
 * Adds to the minute in which it runs, by few statements: acts wait for them. Counts of one client, way and source are one
 * of `refused`.
 */
export function* countRefusals({ now }: Pick<Transaction, 'now'>, refused: readonly Refused[]): Program<void> {
  const minute = MINUTE_MS * Math.floor(now / MINUTE_MS)
  const { count: rows } = yield* only<{ count: number }>(COUNT, minute)
  const counted = rows + refused.length > REFUSALS_A_MINUTE_MAX ? yield* fit(refused, minute, rows) : refused
  const values = counted.flatMap(({ way, client, source, count }) => [minute, way, client, source, count])
  yield* run(upsertOf(counted.length), ...values)
}
