// Counts refused authentications by what was presented, address and minute, in a bounded number of rows a minute.
import { REFUSALS_A_MINUTE_MAX } from '../../domain/audit/attempt.ts'
import type { Way } from '../../../../api/values/audit.ts'
import type { Source } from '../../domain/source.ts'
import { MINUTE_MS } from '../lists/ended-minutes.ts'
import { only, run, type Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'

/** Counts of one thread. An empty client is none of ours; an empty source, all that are not counted apart. */
export type Refused = {
  readonly way: Way
  readonly client: string
  readonly source: Source | ''
  readonly count: number
}

const ADD = 'update refused set count = count + ? where at = ? and way = ? and client = ? and source = ?'
const INSERT = 'insert into refused (at, way, client, source, count) values (?, ?, ?, ?, ?)'
const COUNT = `select count(*) as count from refused where at = ? and source <> ''`

function* add({ way, client, source, count }: Refused, minute: number): Program<boolean> {
  return (yield* run(ADD, count, minute, way, client, source)) > 0
}

const insert = ({ way, client, source, count }: Refused, minute: number): Program<number> =>
  run(INSERT, minute, way, client, source, count)

/** Adds to the minute in which it runs. Returns the number of rows in it that are counted apart. */
export function* countRefusals({ now }: Pick<Transaction, 'now'>, refused: readonly Refused[]): Program<number> {
  const minute = MINUTE_MS * Math.floor(now / MINUTE_MS)
  let { count: rows } = yield* only<{ count: number }>(COUNT, minute)
  for (const one of refused) {
    if (yield* add(one, minute)) continue
    if (one.source !== '' && rows < REFUSALS_A_MINUTE_MAX) {
      yield* insert(one, minute)
      rows += 1
      continue
    }
    const rest: Refused = { ...one, client: '', source: '' }
    if (!(yield* add(rest, minute))) yield* insert(rest, minute)
  }
  return rows
}
