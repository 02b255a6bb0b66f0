// How large a share of all tokens an index leads to: by it each row costs a look-up in the table, which costs as much as to pass over
// ten rows of the table itself.
import { bytesOfId } from '../rows.ts'
import { byIndex, first, type Program } from '../statement-program.ts'
import { endOf } from './scan-step.ts'
import { type Access, tokenRange } from './token-ranges.ts'

/** Rows of a scope set that are few. */
const RARE_ROWS_MAX = 200
/** Rows of several indexes together that are compared with so many of the table. */
const COMPARED_ROWS = 1000
const COMPARED_WITH = 16 * COMPARED_ROWS

const ENDED = `select id from ended ${byIndex('ended_scope')} where scope = ?
  order by at desc, id desc limit 1 offset ${RARE_ROWS_MAX}`

/** Tokens of one lifetime, from one id on and below another. */
export type Part = { readonly life: number; readonly low: string; readonly below: string }

/** The id of the row behind so many of those that are reached so. */
function* idBehind(access: Access, { life, low, below }: Part, rows: number): Program<Uint8Array | undefined> {
  const key = [...('n' in access ? [access.n] : []), life]
  const text = endOf(tokenRange(access.by))
  return (yield* first<{ id: Uint8Array }>(text, ...key, bytesOfId(low), bytesOfId(below), rows))?.id
}

/** The scope set is that of few tokens. */
export function* isRareScope(scope: number, parts: readonly Part[], isOfHistory: boolean): Program<boolean> {
  if (isOfHistory && (yield* first(ENDED, scope)) !== undefined) return false
  for (const part of parts) {
    if ((yield* idBehind({ by: 'scope', n: scope }, part, RARE_ROWS_MAX)) !== undefined) return false
  }
  return true
}

/** Whether most of these indexes lead to a large share of the tokens of one lifetime. */
export function* areFrequent(accesses: readonly Access[], parts: readonly Part[]): Program<boolean> {
  for (const part of parts) {
    const reached = yield* idBehind({ by: 'life' }, part, COMPARED_WITH)
    if (reached === undefined) continue
    let frequent = 0
    for (const access of accesses) {
      const id = yield* idBehind(access, part, Math.ceil(COMPARED_ROWS / accesses.length))
      if (id !== undefined && Buffer.compare(id, reached) >= 0) frequent += 1
    }
    if (2 * frequent > accesses.length) return true
  }
  return false
}
