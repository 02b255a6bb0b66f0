// Walks the rows that a cut-off may cover, oldest first within each lifetime, in steps that a transaction can bear.
import { type CutOff, causeOfEnd } from '../../domain/ledger/ledger.ts'
import { lowestLiveId } from '../../domain/ledger/token-id.ts'
import { bytesOfId } from '../rows.ts'
import { all, byIndex, first, type Program } from '../statement-program.ts'
import type { Seen } from '../snapshot.ts'
import { readOpenCutOffs } from './cut-offs.ts'
import { knownTokenOf, ledgerTokenOf, TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'

export type ScanPosition = { readonly life: number; readonly id: Uint8Array }

type Scan = {
  /** The row after which to go on; null from the start. */
  readonly from: ScanPosition | null
  readonly examinedMax: number
  readonly coveredMax: number
}

/** A covered row, and what ended it: the cut-off of least number, not always the one scanned for. */
export type Covered = { readonly row: TokenRow; readonly cause: CutOff }

type Scanned = {
  readonly covered: readonly Covered[]
  /** The last row examined; null where there was none. */
  readonly at: ScanPosition | null
  /** Nothing is left beyond. */
  readonly done: boolean
}

/** The lifetimes in the ledger, ascending. */
export function* readLifetimes(): Program<readonly number[]> {
  const rows = yield* all<{ life: number }>('select life from lifetime order by life')
  return rows.map(({ life }) => life)
}

// Left to itself SQLite reads every row of the lifetime for those of one agent. PostgreSQL does where that is in the order of
// the rows: compared and ordered as one, the agent has to lead; the id by itself leaves out partitions.
const SELECT = {
  life: (comparison: string) =>
    `select ${TOKEN_COLUMNS} from token where life = ? and id ${comparison} ? order by id limit ?`,
  agent: (comparison: string) => `select ${TOKEN_COLUMNS} from token ${byIndex('token_agent')}
    where (agent, life, id) ${comparison} (?, ?, ?) and (agent, life) <= (?, ?) and id ${comparison} ?
    order by agent, life, id limit ?`,
} as const

/** The statements above, for the test that reads their plans. */
export const SCAN_STATEMENTS: readonly string[] = Object.values(SELECT).flatMap(select => [select('>='), select('>')])

/** Whose rows alone the cut-off may cover; null: anybody's. The tokens of a credential are among those of its agent. */
export function* readAgentOf({ agent, credential }: CutOff): Program<number | null> {
  if (agent !== null || credential === null) return agent
  const row = yield* first<{ agent: number }>('select agent from credential where n = ?', credential)
  return row?.agent ?? null
}

function* rowsOf(cutOff: CutOff, after: ScanPosition, limit: number): Program<readonly TokenRow[]> {
  const low = bytesOfId(lowestLiveId(cutOff.at, after.life))
  // Rows that had expired by then are not covered; `after` is exclusive, the lower bound is not.
  const [comparison, bound] = Buffer.compare(low, after.id) > 0 ? ['>=', low] : ['>', after.id]
  const agent = yield* readAgentOf(cutOff)
  if (agent === null) return yield* all<TokenRow>(SELECT.life(comparison), after.life, bound, limit)
  const { life } = after
  return yield* all<TokenRow>(SELECT.agent(comparison), agent, life, bound, agent, life, bound, limit)
}

const BELOW_EVERY_ID = new Uint8Array(16)

/** One step: at most so many rows examined, at most so many covered. */
export function* scanAffectedRows(
  { sets, now }: Seen,
  cutOff: CutOff,
  { from, examinedMax, coveredMax }: Scan,
): Program<Scanned> {
  const open = (yield* readOpenCutOffs()).filter(({ seq }) => seq < cutOff.seq)
  const covered: Covered[] = []
  let at = from
  let examined = 0
  for (const life of yield* readLifetimes()) {
    if (from !== null && life < from.life) continue
    const start = from !== null && life === from.life ? from : { life, id: BELOW_EVERY_ID }
    for (const row of yield* rowsOf(cutOff, start, examinedMax - examined)) {
      const token = knownTokenOf(row, sets) ?? (yield* ledgerTokenOf(row, sets))
      const cause = causeOfEnd(token, [...open, cutOff], now)
      if (cause !== undefined && cause !== 'expired') covered.push({ row, cause })
      at = { life, id: row.id }
      examined += 1
      if (covered.length >= coveredMax) return { covered, at, done: false }
    }
    if (examined >= examinedMax) return { covered, at, done: false }
  }
  return { covered, at, done: true }
}
