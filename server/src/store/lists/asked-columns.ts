// What the filters of tokens ask of the columns of a row: by it the store leaves out rows on the way to the few that match, which
// costs a tenth of handing them out.
import { hasResource, isForAny } from '../../../../api/values/audience.ts'
import { LISTED_IDS_MAX } from '../../../../api/values/lists.ts'
import type { TokenFilters } from '../../domain/lists/page.ts'
import { parseStrings } from '../rows.ts'
import { all, first, type Program } from '../statement-program.ts'
import type { AskedNumbers } from './asked-numbers.ts'
import { allOf, type Condition, isAnyOf } from './name-conditions.ts'

/** Audience sets that a request compares with what it asks for; of more each row is compared with it. */
const COMPARED_SETS_MAX = 1000

const AUDIENCE_SETS = 'select n, members from audience_set order by n'
const TOO_MANY = `select n from audience_set order by n limit 1 offset ${COMPARED_SETS_MAX}`

/**
 * The sets that hold the audience and one of those that the caller is limited to, by their numbers; null where nothing is asked, or too
 * many sets would be compared or named.
 */
export function* readAudienceSets(
  audience: string | null,
  audiences: readonly string[] | null,
): Program<readonly number[] | null> {
  if (audience === null && audiences === null) return null
  if ((yield* first(TOO_MANY)) !== undefined) return null
  const sets = yield* all<{ n: number; members: string }>(AUDIENCE_SETS)
  const found = sets.filter(({ members }) => {
    const own = parseStrings(members)
    return (audience === null || hasResource(own, audience)) && isForAny(audiences, own)
  })
  return found.length > LISTED_IDS_MAX ? null : found.map(({ n }) => n)
}

const CARRIES = 'exists (select 1 from scope_set_item where item = ? and scope_set_item.n = scope)'

const is = (column: string, value: number | null): readonly Condition[] =>
  value === null ? [] : [{ sql: `${column} = ?`, values: [value] }]

/** The conditions on columns, except on the one by which rows are found; null where none is left. */
export const askedOfColumns = (
  by: string,
  { scope }: Pick<TokenFilters, 'scope'>,
  { holder, holders, subject, principal, credential, key }: AskedNumbers,
  audienceSets: readonly number[] | null,
): Condition | null => {
  const conditions = [
    ...(by === 'principal' ? [] : is('principal', principal)),
    // An agent's own are few, perhaps, among those for principals.
    ...(by === 'agent' && subject !== null ? [{ sql: 'principal is null', values: [] }] : []),
    ...is('cred', credential),
    ...is('key', key?.number ?? null),
    ...isAnyOf('aud', audienceSets ?? []),
    ...(by === 'scope' || scope === null ? [] : [{ sql: CARRIES, values: [scope] }]),
    // Last, so that a list of a hundred is compared only with rows that passed the other conditions.
    ...(by === 'agent'
      ? []
      : [
          ...is('agent', holder),
          ...isAnyOf('agent', holders === null || holders.size > LISTED_IDS_MAX ? [] : [...holders]),
        ]),
  ]
  return conditions.length === 0 ? null : allOf(conditions)
}
