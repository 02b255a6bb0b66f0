// Who acted, as the history shows it.
import type { Actor } from '../../domain/act.ts'
import type { TokenEnd } from '../../domain/page.ts'
import type { Statements } from '../sqlite/statements.ts'

export type RecordedAct = Pick<TokenEnd, 'note' | 'revocationId'> & { readonly endedBy: Actor }

/** The act with this number. */
export const readAct = (sql: Statements, n: number): RecordedAct => {
  const select = 'select actor, note, revocation_id as revocationId from act where n = ?'
  const row = sql<{ actor: string; note: string | null; revocationId: string | null }>(select).get(n)
  if (row === undefined) throw new Error(`The ledger names act ${n}, which is not there.`)
  const { actor, ...rest } = row
  return { endedBy: JSON.parse(actor) as Actor, ...rest } // written by recordAct from the same type
}

/** Of an end that nobody made. */
export const BY_TIME = { endedBy: null, note: null, revocationId: null } as const
