// A tree of tokens that were got for one another, as the drill knows it: who descends from whom, and what ended each.
import type { ListRecord } from '../crash/check-store.ts'
import { claimsOf } from '../requests.ts'
import type { Random } from '../random.ts'

export type Member = {
  readonly id: string
  readonly parent: Member | null
  /** The expiry in seconds since 1970. */
  readonly expiresAt: number
  /** Undefined where it is not kept: the texts of all would fill the memory. */
  text: string | undefined
  /** How many ends were asked for before its own; undefined where nobody asked for its own. */
  endedAs?: number
}

export type Family = {
  readonly root: Member
  readonly members: Member[]
  /** The members whose texts are kept. */
  readonly held: Member[]
  /** The members whose tokens may be exchanged. */
  readonly parents: Member[]
}

const HELD_MAX = 4000
const PARENTS_MAX = 4000
/** The greatest depth: below a third edge tokens live so shortly that they would end by themselves. */
const DEPTH_MAX = 3

const depthOf = (member: Member): number => (member.parent === null ? 0 : 1 + depthOf(member.parent))

const memberOf = (text: string, parent: Member | null, keepsText: boolean): Member => {
  const { jti, exp } = claimsOf(text)
  return { id: jti, parent, expiresAt: exp, text: keepsText ? text : undefined }
}

export const makeFamily = (rootText: string): Family => {
  const root = memberOf(rootText, null, true)
  return { root, members: [root], held: [root], parents: [] }
}

/** Adds what was got for a member. */
export const addMember = (family: Family, text: string, parent: Member, random: Random): Member => {
  const { members, held, parents } = family
  const isParent = parents.length < PARENTS_MAX && random.chance(1 / 4) && depthOf(parent) + 1 < DEPTH_MAX
  const member = memberOf(text, parent, isParent || (held.length < HELD_MAX && random.chance(1 / 10)))
  members.push(member)
  if (member.text !== undefined) held.push(member)
  if (isParent) parents.push(member)
  return member
}

/** An end that was acknowledged, as the record of the token has it. */
export type KnownEnd = { readonly member: Member; readonly endedAt: string }

const withAncestors = (member: Member): readonly Member[] =>
  member.parent === null ? [member] : [member, ...withAncestors(member.parent)]

/** The first end of the member or of one of its ancestors; undefined where none was asked for. */
const firstEndOf = (member: Member): Member | undefined =>
  withAncestors(member)
    .filter(one => one.endedAs !== undefined)
    .toSorted((a, b) => (a.endedAs ?? 0) - (b.endedAs ?? 0))[0]

type Recorded = Pick<ListRecord, 'termination_reason' | 'ended_at'> & {
  readonly ancestor: string | null
  readonly by: string | null
}

/** What history has to say of a member. `endedAt` is the time of the end of a token that somebody ended. */
const expectedOf = (member: Member, endedAt: (id: string) => string): Recorded | undefined => {
  const ended = firstEndOf(member)
  if (ended === undefined) return undefined
  const at = endedAt(ended.id)
  if (1000 * member.expiresAt <= Date.parse(at)) {
    const expired = new Date(1000 * member.expiresAt).toISOString()
    return { termination_reason: 'expired', ended_at: expired, ancestor: null, by: null }
  }
  const own = ended === member
  const reason = own ? 'manual_revocation' : 'ancestor_ended'
  return { termination_reason: reason, ended_at: at, ancestor: own ? null : ended.id, by: 'operator' }
}

const recordedBy = (record: ListRecord): Recorded => ({
  ...(record.termination_reason !== undefined && { termination_reason: record.termination_reason }),
  ...(record.ended_at !== undefined && { ended_at: record.ended_at }),
  ancestor: record.ancestor_id ?? null,
  by: record.ended_by?.type ?? null,
})

const keyOf = ({ termination_reason, ended_at, ancestor, by }: Recorded): string =>
  [termination_reason, ended_at, ancestor, by].join(' ')

/** What is wrong about the history of a family of which every member has ended. */
export const judgeHistory = ({ members }: Family, history: ReadonlyMap<string, ListRecord>): readonly string[] => {
  const endedAt = (id: string): string => history.get(id)?.ended_at ?? 'never'
  const wrong = members.flatMap(member => {
    const record = history.get(member.id)
    if (record === undefined) return [`Token ${member.id} is not in history.`]
    const expected = expectedOf(member, endedAt)
    if (expected === undefined) return [`Token ${member.id} is in history, though nothing ended it.`]
    const [recorded, wanted] = [keyOf(recordedBy(record)), keyOf(expected)]
    return recorded === wanted ? [] : [`Token ${member.id} ended as "${recorded}", not as "${wanted}".`]
  })
  const strangers = history.size - members.length
  return wrong.length === 0 && strangers !== 0 ? [`History has ${strangers} tokens that nobody got.`] : wrong
}
