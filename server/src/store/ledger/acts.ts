// In this folder: tokens and their ends in the store: inserts, cut-offs, backfill, quotas, lineages. domain/ledger/ has the rules.
// Who acted, as the history shows it.
import { type Actor, isNamed } from '../../domain/audit/act.ts'
import type { TokenEnd } from '../../domain/lists/page.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { containsText } from '../lists/name-conditions.ts'
import { all, first, type Program } from '../statement-program.ts'

/** The act that ended a token; `endedBy` is null for an expiry. */
type RecordedAct = Pick<TokenEnd, 'note' | 'revocationId'> & { readonly endedBy: Actor | null }

type Row = {
  readonly n: number
  readonly actor: string
  readonly note: string | null
  readonly revocationId: string | null
}

/** How many are requested at once; fewer use the same statement, whatever a page holds. */
const AT_ONCE = 100
const SELECT = `select n, actor, note, revocation_id as "revocationId" from act
  where n in (${Array.from({ length: AT_ONCE }, () => '?').join(', ')})`

const actOf = ({ actor, note, revocationId }: Row): RecordedAct => ({
  endedBy: JSON.parse(actor) as Actor, // written by recordAct from the same type
  note,
  revocationId,
})

/** The acts with these numbers. */
export function* readActs(numbers: Iterable<number>): Program<(n: number) => RecordedAct> {
  const wanted = [...new Set(numbers)]
  const acts = new Map<number, RecordedAct>()
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, n) => wanted[from + n] ?? null)
    for (const row of yield* all<Row>(SELECT, ...some)) acts.set(row.n, actOf(row))
  }
  return n => {
    const act = acts.get(n)
    if (act === undefined) throw new Error(`The ledger names act ${n}, which is not there.`)
    return act
  }
}

type RevocationAct = { readonly n: number; readonly at: Milliseconds }

/** The act of a revocation of many tokens, which is kept as long as they are, and the time at which they ended. */
export const readRevocationAct = (revocationId: string): Program<RevocationAct | undefined> =>
  first<RevocationAct>('select act as n, at from cutoff where revocation_id = ?', revocationId)

/** Acts that filters ask for; null: any. */
export type AskedActs = {
  /** Who acted. */
  readonly by: string | null
  /** The only one. */
  readonly number: number | null
}

/** Whether one of these acts is asked for. */
export function* readActsAsked({ by, number }: AskedActs, numbers: Iterable<number>): Program<(n: number) => boolean> {
  const isOne = (n: number): boolean => number === null || n === number
  if (by === null) return isOne
  const recorded = yield* readActs(numbers)
  return n => {
    const { endedBy } = recorded(n)
    return isOne(n) && endedBy !== null && isNamed(endedBy, by)
  }
}

/** The most acts that are searched. Among more, any name is taken to have acted. */
const ACTS_SEARCHED_MAX = 100_000
const MANY_ACTS = `select n from act order by n limit 1 offset ${ACTS_SEARCHED_MAX}`

/** Whether an actor with this name may have done any of the acts that are kept. */
export function* mayHaveActed(by: string): Program<boolean> {
  if ((yield* first(MANY_ACTS)) !== undefined) return true
  const { sql, values } = containsText('actor', JSON.stringify(by))
  const actors = yield* all<{ actor: string }>(`select distinct actor from act where ${sql}`, ...values)
  return actors.some(({ actor }) => isNamed(JSON.parse(actor) as Actor, by)) // as above
}

/** The act with this number. */
export function* readAct(n: number): Program<RecordedAct> {
  return (yield* readActs([n]))(n)
}

/** The end of a token that expired: no actor made it. */
export const BY_TIME: RecordedAct = { endedBy: null, note: null, revocationId: null }
