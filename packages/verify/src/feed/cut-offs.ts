// In this folder: follows the revocation feed and holds its facts in memory: what has ended, up to where, and how stale that is.
// Cut-offs: which tokens an act that ended many covers (docs/apis/feed-protocol.md, "Cut-offs").
import type { Conditions, CutOff } from './document.ts'
import { issuedMsOf, type Subject, tailDigits } from './subject.ts'

/** `unknown`: only the service can say. */
export type Verdict = 'clear' | 'ended' | 'unknown'

const matches = (pattern: string, item: string): boolean =>
  pattern === '*' || pattern === item || (pattern.endsWith(':*') && item.startsWith(pattern.slice(0, -1)))

/** Whether a condition holds; undefined where the subject does not say. */
type Holds = boolean | undefined

const isOneOf = (values: readonly string[], value: string | undefined): Holds =>
  value === undefined ? undefined : values.includes(value)

const isBeyond = (keep: readonly string[], items: readonly string[] | undefined): Holds =>
  items?.some(item => !keep.some(pattern => matches(pattern, item)))

type Check = {
  readonly [Name in keyof Conditions]-?: (value: NonNullable<Conditions[Name]>, subject: Subject) => Holds
}

const CHECKS: Check = {
  agent: (digest, subject) => subject.agent === digest,
  agents: (digests, subject) => digests.includes(subject.agent),
  subject: (digest, subject) => subject.subject === digest,
  issuer: (digest, subject) => subject.issuer === digest,
  credential: (digest, subject) => isOneOf([digest], subject.credential),
  key: (digest, subject) => subject.key === digest,
  scope: (pattern, { scopes }) => scopes?.some(item => matches(pattern, item)),
  keep_scopes: (patterns, { scopes }) => isBeyond(patterns, scopes),
  audience: (digest, { audiences }) => audiences?.includes(digest),
  keep_audiences: (digests, { audiences }) => audiences?.some(audience => !digests.includes(audience)),
  before: (ms, { id }) => issuedMsOf(id) < ms,
  root: (tail, { rootId }) => tailDigits(rootId) === tail,
  from_another: (_, { isFromAnother }) => isFromAnother,
  opened: () => true,
}

const holds = (name: keyof Conditions, conditions: Conditions, subject: Subject): Holds => {
  const check = CHECKS[name] as (value: unknown, subject: Subject) => Holds
  return check(conditions[name], subject)
}

const judgeByConditions = (conditions: Conditions, subject: Subject): Verdict => {
  const held = (Object.keys(conditions) as (keyof Conditions)[]).map(name => holds(name, conditions, subject))
  if (held.includes(false)) return 'clear'
  return conditions.opened === true || held.includes(undefined) ? 'unknown' : 'ended'
}

export const judgeByCutOff = ({ seq, until, conditions }: CutOff, subject: Subject): Verdict => {
  if (subject.seq !== undefined && subject.seq >= seq) return 'clear'
  if (conditions === undefined) return subject.exp <= until ? 'unknown' : 'clear'
  const verdict = judgeByConditions(conditions, subject)
  return verdict === 'ended' && subject.seq === undefined ? 'unknown' : verdict
}

/** The worse of two: what has ended has ended, whatever else is not known. */
export const worse = (a: Verdict, b: Verdict): Verdict => {
  if (a === 'ended' || b === 'ended') return 'ended'
  return a === 'unknown' ? a : b
}

// Most cut-offs have one condition, and of these there are many: each is found by its digest.
const ANCHORS = ['agent', 'subject', 'issuer', 'credential', 'key', 'root'] as const

type Anchor = (typeof ANCHORS)[number]

const anchorOf = (conditions: Conditions | undefined): Anchor | undefined => {
  const [only, ...others] = Object.keys(conditions ?? {})
  return others.length === 0 ? ANCHORS.find(name => name === only) : undefined
}

export type CutOffs = {
  readonly add: (cutOff: CutOff) => void
  readonly judge: (subject: Subject) => Verdict
  /** Whether none can cover a token with this number, whatever else it is. */
  readonly areAllBefore: (seq: number | undefined) => boolean
  /** Forgets those whose `until`, in seconds, is before this second. */
  readonly dropBefore: (second: number) => void
  readonly size: () => number
}

export const makeCutOffs = (): CutOffs => {
  const anchored = Object.fromEntries(ANCHORS.map(name => [name, new Map<string, CutOff>()])) as Record<
    Anchor,
    Map<string, CutOff>
  > // of each
  // By their text: a document may be applied twice.
  const others = new Map<string, CutOff>()
  let seqMax = 0

  /** Adds a cut-off to an anchor. Of two on one anchor the larger `seq` covers the tokens of both, and is kept as long as either. */
  const addAnchored = (anchor: Anchor, digest: string, cutOff: CutOff): void => {
    const there = anchored[anchor].get(digest)
    const seq = Math.max(cutOff.seq, there?.seq ?? 0)
    const until = Math.max(cutOff.until, there?.until ?? 0)
    anchored[anchor].set(digest, { ...cutOff, seq, until })
  }

  const judgeByAnchor = (anchor: Anchor, subject: Subject): Verdict => {
    const found = anchored[anchor]
    const value = anchor === 'root' ? tailDigits(subject.rootId) : subject[anchor]
    if (value !== undefined) {
      const cutOff = found.get(value)
      return cutOff === undefined ? 'clear' : judgeByCutOff(cutOff, subject)
    }
    for (const cutOff of found.values()) if (judgeByCutOff(cutOff, subject) !== 'clear') return 'unknown'
    return 'clear'
  }

  const areAllBefore = (seq: number | undefined): boolean => seq !== undefined && seq >= seqMax

  return {
    add: cutOff => {
      seqMax = Math.max(seqMax, cutOff.seq)
      const anchor = anchorOf(cutOff.conditions)
      const digest = anchor && cutOff.conditions?.[anchor]
      if (anchor !== undefined && digest !== undefined) addAnchored(anchor, digest, cutOff)
      else others.set(JSON.stringify(cutOff), cutOff)
    },
    judge: subject => {
      if (areAllBefore(subject.seq)) return 'clear'
      let verdict = ANCHORS.map(anchor => judgeByAnchor(anchor, subject)).reduce(worse)
      for (const cutOff of others.values()) verdict = worse(verdict, judgeByCutOff(cutOff, subject))
      return verdict
    },
    areAllBefore,
    dropBefore: second => {
      const isOver = ({ until }: CutOff): boolean => until < second
      for (const map of [others, ...Object.values(anchored)]) {
        for (const [name, cutOff] of map) if (isOver(cutOff)) map.delete(name)
      }
    },
    size: () => others.size + Object.values(anchored).reduce((sum, map) => sum + map.size, 0),
  }
}
