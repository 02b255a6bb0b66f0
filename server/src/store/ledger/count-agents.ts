// Counts the live tokens of several agents, each to a bound.
import { COUNT_EXACT_MAX } from '../../../../api/values/lists.ts'
import type { Count } from '../../domain/clients/credential.ts'
import { lowestLiveId } from '../../domain/ledger/claims.ts'
import { bytesOfId } from '../rows.ts'
import { all, byIndex, type Program } from '../statement-program.ts'
import type { Snapshot } from '../snapshot.ts'
import { hasCascades } from './cascades.ts'
import { aliveAmong, makeJudge } from './judge.ts'
import { TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'
import { COUNT_JUDGED_MAX } from './count-tokens.ts'
import { readLifetimes } from './scan-affected-rows.ts'

const LIVE = `from token ${byIndex('token_agent')} where agent = ? and life = ? and id >= ? order by id limit ?`
const ROWS = `select ${TOKEN_COLUMNS} ${LIVE}`
const COUNT = `select agent, count(*) as count from (select agent ${LIVE}) as live group by agent`

type Counts = {
  /** The counts by agent, without agents that have no live token. */
  readonly counts: ReadonlyMap<number, Count>
  /** Rows that were judged one by one. */
  readonly judged: number
}

/** Counts in the database alone, for all agents in one statement, where nothing but time ends a token. */
function* countAll({ now }: Snapshot, agents: readonly number[]): Program<Counts> {
  const sums = new Map<number, number>()
  const text = agents.map(() => `select * from (${COUNT}) as one`).join(' union all ')
  for (const life of yield* readLifetimes()) {
    const lowest = bytesOfId(lowestLiveId(now, life))
    const values = agents.flatMap(agent => [agent, life, lowest, COUNT_EXACT_MAX + 1])
    for (const { agent, count } of yield* all<{ agent: number; count: number }>(text, ...values)) {
      sums.set(agent, (sums.get(agent) ?? 0) + count)
    }
  }
  const counts = new Map(
    [...sums].map(([agent, sum]) => [
      agent,
      { count: Math.min(sum, COUNT_EXACT_MAX), isExact: sum <= COUNT_EXACT_MAX },
    ]),
  )
  return { counts, judged: 0 }
}

type Judged = { readonly count: number; readonly judged: number }

function* judgeRows(snapshot: Snapshot, agent: number, rowsMax: number): Program<Judged> {
  const judge = makeJudge(snapshot, yield* snapshot.cutOffs())
  let [count, judged] = [0, 0]
  for (const life of yield* readLifetimes()) {
    const lowest = bytesOfId(lowestLiveId(snapshot.now, life))
    const rows = yield* all<TokenRow>(ROWS, agent, life, lowest, rowsMax - judged)
    judged += rows.length
    count += (yield* aliveAmong(snapshot, judge, rows)).length
  }
  return { count, judged }
}

function* countEach(snapshot: Snapshot, agents: readonly number[], judgedMax: number): Program<Counts> {
  const counts = new Map<number, Count>()
  let left = judgedMax
  for (const agent of agents) {
    const rowsMax = Math.min(left, COUNT_JUDGED_MAX)
    // One row more shows whether there are more.
    const { count, judged } = yield* judgeRows(snapshot, agent, rowsMax + 1)
    counts.set(agent, { count: Math.min(count, rowsMax), isExact: judged <= rowsMax })
    left = Math.max(0, left - judged)
  }
  return { counts, judged: judgedMax - left }
}

/**
 * The live tokens of each agent, exact up to COUNT_EXACT_MAX; while a cut-off is open, up to COUNT_JUDGED_MAX rows of each and
 * `judgedMax` of all. Else at least as many as it says.
 */
export function* countLiveOfAgents(snapshot: Snapshot, agents: readonly number[], judgedMax: number): Program<Counts> {
  const isPlain = (yield* snapshot.cutOffs()).length === 0 && !(yield* hasCascades())
  return yield* isPlain ? countAll(snapshot, agents) : countEach(snapshot, agents, judgedMax)
}
