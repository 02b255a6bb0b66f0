// Slots: the few places that open compound cut-offs have, and what needs none.
import { type OpenAct, exhaustedShare } from '../../domain/ledger/cut-off-shares.ts'
import type { Act, Actor } from '../../domain/audit/act.ts'
import type { ActKind } from '../../../../api/values/audit.ts'
import type { CutOffConditions } from '../../domain/ledger/ledger.ts'
import { spellingsOf } from './interned-sets.ts'
import { isAnyKeptOf } from './principals.ts'
import { Unavailable } from '../../domain/refusal.ts'
import { containsText } from '../lists/name-conditions.ts'
import { all, first, type Program } from '../statement-program.ts'

// Every act and list compares what was selected agent by agent, also where look-ups find it as a number on each agent. The
// text is that of a member, never of a value: there the quotes are escaped.
const OPEN = `select a.kind, a.actor from cutoff x join act a on a.n = x.act
  where x.state = 'open' and (x.anchored = 0 or x.conditions like '%"selected":{%')`

type Row = { readonly kind: ActKind; readonly actor: string }

const openActOf = ({ kind, actor }: Row): OpenAct => ({
  kind,
  actor: JSON.parse(actor) as Actor, // written by recordAct from the same type
})

/** Refuses the act where its cut-off has to stay open and a share that it is of has no room. */
export function* takeSlot(act: Act): Program<void> {
  const share = exhaustedShare((yield* all<Row>(OPEN)).map(openActOf), act)
  if (share !== undefined) {
    throw new Unavailable(`${share.max} ${share.of} are still being worked off. Try again later.`, {
      limit: 'cut_offs',
    })
  }
}

const ITEM = 'select 1 as found from scope_set_item where item = ? limit 1'
// The character after ":" is ";": all items of a resource, and no other.
const RESOURCE = 'select 1 as found from scope_set_item where item >= ? and item < ? limit 1'

// The text search may find what the judge does not match. Then the cut-off takes a slot without need, and nothing else changes.
function* hasAudience(audience: string): Program<boolean> {
  const { sql, values } = containsText('members', JSON.stringify(audience))
  const isThere = (yield* first(`select 1 as found from audience_set where ${sql} limit 1`, ...values)) !== undefined
  return isThere || (yield* spellingsOf([audience])).length > 1
}

function* hasScope(pattern: string): Program<boolean> {
  if (!pattern.endsWith(':*')) return (yield* first(ITEM, pattern)) !== undefined
  const resource = pattern.slice(0, -':*'.length)
  return (yield* first(RESOURCE, `${resource}:`, `${resource};`)) !== undefined
}

/** Returns false if no token that the ledger ever kept, and has not forgotten, has the audience, the scope, or such an issuer. */
export function* mayCoverAny({ audience, scope, issuers = null }: CutOffConditions): Program<boolean> {
  if (audience !== null && !(yield* hasAudience(audience))) return false
  if (scope !== null && !(yield* hasScope(scope))) return false
  return issuers === null || (yield* isAnyKeptOf(issuers))
}
