// Key ranges of `token` in SQL, newest first. Each is one index, scanned backwards.
import type { TokenFilters } from '../../domain/lists/page.ts'
import { ABOVE_EVERY_ID, lowestIdAt } from '../../domain/ledger/claims.ts'
import { TOKEN_COLUMNS } from '../ledger/token-rows.ts'
import { byIndex } from '../statement-program.ts'
import { LEFT_OUT_AS_ONE, type Range } from './scan-step.ts'

/** How rows are reached: all, those with a parent, those that share a parent, or by an agent, a scope set, a subject or a principal. */
export type Access =
  | { readonly by: 'life' | 'delegated' }
  | { readonly by: 'agent' | 'scope' | 'lineage' | 'subject' | 'principal'; readonly n: number }

// Left to itself SQLite takes the primary key for all of them: an agent's page would read every row of the lifetime.
const FROM = {
  life: 'from token where life = ?',
  delegated: `from token ${byIndex('token_delegated')} where lineage is not null and life = ?`,
  agent: `from token ${byIndex('token_agent')} where agent = ? and life = ?`,
  scope: `from token ${byIndex('token_scope')} where scope = ? and life = ?`,
  lineage: `from token ${byIndex('token_lineage')} where lineage = ? and life = ?`,
  subject: `from token ${byIndex('token_subject')} where lineage is not null and subject = ? and life = ?`,
  principal: `from token ${byIndex('token_principal')} where principal = ? and life = ?`,
} as const

export const tokenRange = (by: Access['by']): Range => ({
  columns: TOKEN_COLUMNS,
  position: 'id',
  rows: `${FROM[by]} and id >= ? and id < ?`,
  order: 'order by id desc',
  leftOutAsOne: by === 'life' ? LEFT_OUT_AS_ONE.ofTable : LEFT_OUT_AS_ONE.byIndex,
})

export const wholeRange = ({ columns, rows, order }: Range): string => `select ${columns} ${rows} ${order} limit ?`

/** The later of two bounds, and the earlier. */
export const higher = (a: string, b: string): string => (a > b ? a : b)
export const lower = (a: string, b: string): string => (a < b ? a : b)

/** The ids that the filters on the time of issue allow. */
export const issuedBounds = ({ issuedAfter, issuedBefore }: TokenFilters): { low: string; below: string } => ({
  low: lowestIdAt(issuedAfter ?? 0),
  below: issuedBefore === null ? ABOVE_EVERY_ID : lowestIdAt(issuedBefore),
})
