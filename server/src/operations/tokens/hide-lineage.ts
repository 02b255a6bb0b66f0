// What of a token's lineage a caller who is limited to audiences may see: no id of an ancestor for others, and nothing of the
// act that ended one.
import { isForAny } from '../../../../api/values/audience.ts'
import type { LineageRecord, TokenEnd, TokenFilters, TokenLife, TokenRecord } from '../../domain/lists/page.ts'

/** The audiences that the caller may see; null: all. */
type Audiences = readonly string[] | null

/** Whether a token with these audiences exists for the caller. */
export const isFor = ({ audience }: Pick<TokenRecord, 'audience'>, audiences: Audiences): boolean =>
  isForAny(audiences, audience)

export const hideAncestors = <R extends TokenRecord>(record: R, audiences: Audiences): R => {
  if (audiences === null || record.ancestors.length === 0) return record
  const ancestors = record.ancestors.map(one => (isFor(one, audiences) ? one : { ...one, id: null }))
  return { ...record, ancestors }
}

/** Nothing of an end but its time and its reason; a member of it that is new is hidden here, or shown. */
const HIDDEN = {
  ancestorId: null,
  endedBy: null,
  note: null,
  revocationId: null,
} as const satisfies Omit<TokenEnd, 'endedAt' | 'reason'>

/** The end of a token as the caller may see it: where a hidden ancestor ended it, the time and the reason alone. */
export const hideEnd = <E extends TokenEnd>(end: E, record: TokenRecord, audiences: Audiences): E => {
  if (audiences === null || end.ancestorId === null) return end
  const ancestor = record.ancestors.find(({ id }) => id === end.ancestorId)
  if (ancestor !== undefined && isFor(ancestor, audiences)) return end
  return { ...end, ...HIDDEN }
}

export const hideLife = ({ token, end, ...rest }: TokenLife, audiences: Audiences): TokenLife => ({
  ...rest,
  token: hideAncestors(token, audiences),
  end: end === null ? null : hideEnd(end, token, audiences),
})

export const hideMember = (member: LineageRecord, audiences: Audiences): LineageRecord =>
  'removed' in member ? member : hideLife(member, audiences)

/** Whether the token that filters name by a place in lineages is hidden: then what they match does not exist for the caller. */
export const isNamedHidden = (
  { ancestors }: TokenRecord,
  { parentId, rootId }: Pick<TokenFilters, 'parentId' | 'rootId'>,
  audiences: Audiences,
): boolean => {
  const named = [parentId === null ? undefined : ancestors[0], rootId === null ? undefined : ancestors.at(-1)]
  return named.some(one => one !== undefined && !isFor(one, audiences))
}
