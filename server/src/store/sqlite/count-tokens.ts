// Counts the live tokens of an agent by the credential that got them, looking at a bounded number of rows.
import { COUNT_EXACT_MAX, type Count } from '../../domain/credential.ts'
import { causeOfEnd } from '../../domain/ledger.ts'
import { lowestLiveId } from '../../domain/token-id.ts'
import type { Snapshot } from './reader.ts'
import { bytesOfId } from './rows.ts'
import { ledgerTokenOf, TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'
import { lifetimesOf } from './walk.ts'

/** Rows of one agent that a count looks at. Beyond them it says how many there are at least. */
export const COUNT_EXAMINED_MAX = 20_000

const SELECT = `select ${TOKEN_COLUMNS} from token indexed by token_agent
  where agent = ? and life = ? and id >= ? order by id desc limit ?`

/** The statement above, for the test that reads its plan. */
export const COUNT_STATEMENT = SELECT

type Rows = { readonly rows: readonly TokenRow[]; readonly isWhole: boolean }

const readLive = ({ sql, now }: Snapshot, agent: number): Rows => {
  const rows: TokenRow[] = []
  for (const life of lifetimesOf(sql)) {
    const low = bytesOfId(lowestLiveId(now, life))
    rows.push(...sql<TokenRow>(SELECT).all(agent, life, low, COUNT_EXAMINED_MAX + 1 - rows.length))
    if (rows.length > COUNT_EXAMINED_MAX) return { rows: rows.slice(0, -1), isWhole: false }
  }
  return { rows, isWhole: true }
}

/** The count of each credential, by its number, among the tokens for one of these audiences; null: all. */
export const countLiveTokens = (
  snapshot: Snapshot,
  agent: number,
  audiences: readonly string[] | null,
): ((credential: number) => Count) => {
  const { rows, isWhole } = readLive(snapshot, agent)
  const cutOffs = snapshot.cutOffs()
  const counts = new Map<number, number>()
  for (const row of rows) {
    const token = ledgerTokenOf(row, snapshot.sets)
    const isSeen = audiences === null || token.audience.some(audience => audiences.includes(audience))
    if (!isSeen || causeOfEnd(token, cutOffs, snapshot.now) !== undefined) continue
    counts.set(row.cred, (counts.get(row.cred) ?? 0) + 1)
  }
  return credential => {
    const count = counts.get(credential) ?? 0
    return { count: Math.min(count, COUNT_EXACT_MAX), isExact: isWhole && count <= COUNT_EXACT_MAX }
  }
}
