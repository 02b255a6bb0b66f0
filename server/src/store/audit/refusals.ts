// Counts refused authentications by what was presented, address and minute, in a bounded number of rows a minute.
import { REFUSALS_A_MINUTE_MAX, type Way } from '../../domain/attempt.ts'
import { MINUTE_MS } from '../lists/ended-minutes.ts'
import type { Transaction } from '../sqlite/transaction.ts'

/** Counts of one thread. An empty client is none of ours; an empty source, all that are not counted apart. */
export type Refused = {
  readonly way: Way
  readonly client: string
  readonly source: string
  readonly count: number
}

const ADD = 'update refused set count = count + ? where at = ? and way = ? and client = ? and source = ?'
const INSERT = 'insert into refused (at, way, client, source, count) values (?, ?, ?, ?, ?)'
const COUNT = `select count(*) as count from refused where at = ? and source <> ''`

/** Adds to the minute in which it runs. Gives the number of rows in it that are counted apart. */
export const countRefusals = ({ sql, now }: Transaction, refused: readonly Refused[]): number => {
  const minute = MINUTE_MS * Math.floor(now / MINUTE_MS)
  let rows = sql<{ count: number }>(COUNT).get(minute)?.count ?? 0
  const add = ({ way, client, source, count }: Refused): boolean =>
    sql(ADD).run(count, minute, way, client, source).changes > 0
  const insert = ({ way, client, source, count }: Refused): void =>
    void sql(INSERT).run(minute, way, client, source, count)
  for (const one of refused) {
    if (add(one)) continue
    if (one.source !== '' && rows < REFUSALS_A_MINUTE_MAX) {
      insert(one)
      rows += 1
      continue
    }
    const rest = { ...one, client: '', source: '' }
    if (!add(rest)) insert(rest)
  }
  return rows
}
