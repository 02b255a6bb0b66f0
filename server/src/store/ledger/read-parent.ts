// The parent of a token that is being written, judged in the transaction that writes it: an end of the parent, or of one of
// its ancestors, comes before this transaction or after it.
import type { TokenAddress } from '../../domain/ledger/claims.ts'
import { DEPTH_MAX } from '../../domain/ledger/lineage.ts'
import { recall } from '../name-cache.ts'
import { bytesOfId } from '../rows.ts'
import { first, type Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'
import { readOpenCutOffs, judgeRow, makeJudge } from './judge.ts'
import type { Origin } from './lineages.ts'
import { expiryOf, NO_ANCESTORS, TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'

const PARENT = `select ${TOKEN_COLUMNS} from token where life = ? and id = ?`

/** What a child of this token has: its ancestors, itself first, and its principal. */
export function* readParent(
  tx: Transaction,
  { id, lifetimeSeconds }: TokenAddress,
  child: Pick<TokenRow, 'id' | 'life'>,
): Program<Origin | 'parent_ended'> {
  const row = yield* first<TokenRow>(PARENT, lifetimeSeconds, bytesOfId(id))
  if (row === undefined) return 'parent_ended'
  const { cause } = yield* judgeRow(tx, makeJudge(tx, yield* readOpenCutOffs()), row)
  if (cause !== undefined) return 'parent_ended'
  const above = row.lineage === null ? NO_ANCESTORS : yield* recall(tx.sets.lineage, row.lineage)
  if (above.length >= DEPTH_MAX) throw new Error(`A token with ${above.length} ancestors gets no child.`)
  if (expiryOf(child) > expiryOf(row)) throw new Error('A token would outlive its parent.')
  const { agent, cred: credential, key, aud: audience, seq, principal } = row
  return { above: [{ id, lifetimeSeconds, agent, credential, key, audience, seq }, ...above], principal }
}
