// Scans the rows that a cut-off may cover, oldest first within each lifetime, in steps that a transaction can bear.
import type { CutOff } from '../../domain/ledger/ledger.ts'
import { earliestBelow } from '../../domain/ledger/lineage.ts'
import { lowestIdAt, lowestLiveId } from '../../domain/ledger/claims.ts'
import { bytesOfId } from '../rows.ts'
import { all, byIndex, first, type Program } from '../statement-program.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { Seen } from '../snapshot.ts'
import { readOpenCutOffs, makeJudge } from './judge.ts'
import type { Covered } from './move-rows.ts'
import { knownTokenOf, ledgerTokenOf, TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'

export type ScanPosition = { readonly life: number; readonly id: Uint8Array }

type Scan = {
  /** `reached`: rows that the cut-off may cover; `delegated`: all with a parent, which may descend from those. */
  readonly among?: 'reached' | 'delegated'
  /** Later cut-offs on the same agent, credential or key, which are looked for with it; none beside one on a principal alone. */
  readonly others?: readonly CutOff[]
  /** What was issued earlier is not looked at. */
  readonly since?: Milliseconds
  /** The row after which to go on; null from the start. */
  readonly from: ScanPosition | null
  readonly examinedMax: number
  readonly coveredMax: number
}

type Scanned = {
  readonly covered: readonly Covered[]
  /** The last row examined; null where there was none. */
  readonly at: ScanPosition | null
  /** Whether no row is left. */
  readonly done: boolean
}

/** The lifetimes in the ledger, ascending. */
export function* readLifetimes(): Program<readonly number[]> {
  const rows = yield* all<{ life: number }>('select life from lifetime order by life')
  return rows.map(({ life }) => life)
}

// Without the hint SQLite reads every row of the lifetime to find those of one agent. PostgreSQL does so where that gives the order:
// agent, life and id are compared and ordered as one, so that the agent leads. The condition on the id alone leaves out partitions.
const SELECT = {
  life: (comparison: string) =>
    `select ${TOKEN_COLUMNS} from token where life = ? and id ${comparison} ? order by id limit ?`,
  delegated: (comparison: string) => `select ${TOKEN_COLUMNS} from token ${byIndex('token_delegated')}
    where lineage is not null and life = ? and id ${comparison} ? order by id limit ?`,
  agent: (comparison: string) => `select ${TOKEN_COLUMNS} from token ${byIndex('token_agent')}
    where (agent, life, id) ${comparison} (?, ?, ?) and (agent, life) <= (?, ?) and id ${comparison} ?
    order by agent, life, id limit ?`,
  principal: (comparison: string) => `select ${TOKEN_COLUMNS} from token ${byIndex('token_principal')}
    where principal = ? and life = ? and id ${comparison} ? order by id limit ?`,
} as const

/** Returns the agent whose rows alone the cut-off may cover; null: any. The tokens of a credential are among those of its agent. */
export function* readAgentOf({ agent, credential }: CutOff): Program<number | null> {
  if (agent !== null || credential === null) return agent
  const row = yield* first<{ agent: number }>('select agent from credential where n = ?', credential)
  return row?.agent ?? null
}

type Rows = Required<Pick<Scan, 'among' | 'since'>> & { readonly after: ScanPosition; readonly limit: number }

function* rowsOf(cutOff: CutOff, { among, after, limit, since }: Rows): Program<readonly TokenRow[]> {
  const { root = null } = cutOff
  const instants = [since, ...(root === null ? [] : [earliestBelow(root)])]
  const lowest = [lowestLiveId(cutOff.at, after.life), ...instants.map(lowestIdAt)]
  const low = bytesOfId(lowest.toSorted().at(-1) ?? '')
  // Rows that had expired at the cut-off are not covered; `after` is exclusive, the lower bound is not.
  const [comparison, bound] = Buffer.compare(low, after.id) > 0 ? ['>=', low] : ['>', after.id]
  const agent = yield* readAgentOf(cutOff)
  const [principal, ...others] = agent === null ? (cutOff.principals ?? []) : []
  if (cutOff.principals?.length === 0) return []
  // What descends from a token that acts for a principal acts for the same.
  if (principal !== undefined && others.length === 0)
    return yield* all<TokenRow>(SELECT.principal(comparison), principal, after.life, bound, limit)
  if (among === 'delegated') return yield* all<TokenRow>(SELECT.delegated(comparison), after.life, bound, limit)
  if (agent === null) return yield* all<TokenRow>(SELECT.life(comparison), after.life, bound, limit)
  const { life } = after
  return yield* all<TokenRow>(SELECT.agent(comparison), agent, life, bound, agent, life, bound, limit)
}

const BELOW_EVERY_ID = new Uint8Array(16)

/** Scans in one step at most so many rows, of which at most so many are covered. */
export function* scanAffectedRows(
  seen: Seen,
  cutOff: CutOff,
  { among = 'reached', others = [], since = 0, from, examinedMax, coveredMax }: Scan,
): Program<Scanned> {
  const open = (yield* readOpenCutOffs()).filter(({ seq }) => seq < cutOff.seq)
  const judge = makeJudge(seen, [...open, cutOff, ...others])
  const { act: last } = others.at(-1) ?? cutOff
  const covered: Covered[] = []
  let at = from
  let examined = 0
  for (const life of yield* readLifetimes()) {
    if (from !== null && life < from.life) continue
    const start = from !== null && life === from.life ? from : { life, id: BELOW_EVERY_ID }
    for (const row of yield* rowsOf(cutOff, { among, since, after: start, limit: examinedMax - examined })) {
      const token = knownTokenOf(row, seen.sets) ?? (yield* ledgerTokenOf(row, seen.sets))
      if (row.lineage !== null) yield* judge.learn(row.lineage)
      const cause = judge.causeOf(token, row.lineage)
      // An act after the last cut-off may not be the first to end the token: cut-offs between the two were not judged.
      if (cause !== undefined && cause !== 'expired' && cause.act <= last) covered.push({ row, cause })
      at = { life, id: row.id }
      examined += 1
      if (covered.length >= coveredMax) return { covered, at, done: false }
    }
    if (examined >= examinedMax) return { covered, at, done: false }
  }
  return { covered, at, done: true }
}
