// Counts the live tokens of an agent by the credential that got them, looking at a bounded number of rows.
import { isForAny } from '../../../../api/values/audience.ts'
import { COUNT_EXACT_MAX } from '../../../../api/values/lists.ts'
import type { Count } from '../../domain/clients/credential.ts'
import { lowestLiveId } from '../../domain/ledger/claims.ts'
import { bytesOfId } from '../rows.ts'
import { all, byIndex, type Program } from '../statement-program.ts'
import type { Snapshot } from '../snapshot.ts'
import { hasCascades } from './cascades.ts'
import { makeJudge } from './judge.ts'
import { knownTokenOf, ledgerTokenOf, TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'
import { readLifetimes } from './scan-affected-rows.ts'

/** Rows of one agent that a count looks at. Beyond them it says how many there are at least. */
const COUNT_EXAMINED_MAX = 20_000
/** The rows where each must be judged: while a cut-off is open, and for callers that may see only some audiences. */
export const COUNT_JUDGED_MAX = 5000

const LIVE = `from token ${byIndex('token_agent')} where agent = ? and life = ? and id >= ? order by id limit ?`
const ROWS = `select ${TOKEN_COLUMNS} ${LIVE}`
const TALLY = `select cred, count(*) as count from (select cred ${LIVE}) as live group by cred`

type Tally = { readonly cred: number; readonly count: number }

type Range = { readonly agent: number; readonly life: number; readonly limit: number }

type Counted = { readonly tallies: readonly Tally[]; readonly examined: number }

const sum = (tallies: readonly Tally[]): number => tallies.reduce((total, { count }) => total + count, 0)

/** Counts in the database alone, where nothing but time ends a token: to read the rows out of it costs ten times as much. */
function* countAll({ now }: Snapshot, { agent, life, limit }: Range): Program<Counted> {
  const tallies = yield* all<Tally>(TALLY, agent, life, bytesOfId(lowestLiveId(now, life)), limit)
  return { tallies, examined: sum(tallies) }
}

function* countEach(snapshot: Snapshot, range: Range, audiences: readonly string[] | null): Program<Counted> {
  const { agent, life, limit } = range
  const { sets } = snapshot
  const judge = makeJudge(snapshot, yield* snapshot.cutOffs())
  const rows = yield* all<TokenRow>(ROWS, agent, life, bytesOfId(lowestLiveId(snapshot.now, life)), limit)
  const tallies: Tally[] = []
  for (const row of rows) {
    const token = knownTokenOf(row, sets) ?? (yield* ledgerTokenOf(row, sets))
    const isSeen = isForAny(audiences, token.audience)
    if (row.lineage !== null) yield* judge.learn(row.lineage)
    if (isSeen && judge.causeOf(token, row.lineage) === undefined) tallies.push({ cred: row.cred, count: 1 })
  }
  return { tallies, examined: rows.length }
}

/** The count of each credential, by its number, among the tokens for one of these audiences; null: all. */
export function* countLiveTokens(
  snapshot: Snapshot,
  agent: number,
  audiences: readonly string[] | null,
): Program<(credential: number) => Count> {
  const isPlain = audiences === null && (yield* snapshot.cutOffs()).length === 0 && !(yield* hasCascades())
  const counts = new Map<number, number>()
  let left = (isPlain ? COUNT_EXAMINED_MAX : COUNT_JUDGED_MAX) + 1
  for (const life of yield* readLifetimes()) {
    const range = { agent, life, limit: left }
    const { tallies, examined } = yield* isPlain ? countAll(snapshot, range) : countEach(snapshot, range, audiences)
    for (const { cred, count } of tallies) counts.set(cred, (counts.get(cred) ?? 0) + count)
    left -= examined
  }
  return credential => {
    const count = counts.get(credential) ?? 0
    return { count: Math.min(count, COUNT_EXACT_MAX), isExact: left > 0 && count <= COUNT_EXACT_MAX }
  }
}
