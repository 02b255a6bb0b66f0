// Who acted, as the history shows it.
import type { Actor } from '../../domain/act.ts'
import type { TokenEnd } from '../../domain/page.ts'
import { first, type Script } from '../script.ts'

/** Nobody ended what time alone did. */
export type RecordedAct = Pick<TokenEnd, 'note' | 'revocationId'> & { readonly endedBy: Actor | null }

type Row = { readonly actor: string; readonly note: string | null; readonly revocationId: string | null }

/** The act with this number. */
export function* readAct(n: number): Script<RecordedAct> {
  const row = yield* first<Row>('select actor, note, revocation_id as "revocationId" from act where n = ?', n)
  if (row === undefined) throw new Error(`The ledger names act ${n}, which is not there.`)
  const { actor, ...rest } = row
  return { endedBy: JSON.parse(actor) as Actor, ...rest } // written by recordAct from the same type
}

/** Of an end that nobody made. */
export const BY_TIME: RecordedAct = { endedBy: null, note: null, revocationId: null }
