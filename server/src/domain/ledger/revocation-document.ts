// Documents of the revocation feed before they are signed (docs/apis/feed-protocol.md).
import type { FeedHead, PositionRange } from '../../../../api/values/feed.ts'
import type { Milliseconds, Seconds } from '../../../../api/values/time.ts'
import type { CutOffFact } from './cut-off-fact.ts'

/** The facts of a range of positions, of whichever pages they were read. */
type Facts = {
  /** Under the second of their `exp` the last 8 bytes of the id of each token that ended by itself, one after another. */
  readonly ended: readonly (readonly [exp: Seconds, tails: Uint8Array])[]
  readonly cutOffs: readonly CutOffFact[]
}

/** The epoch of its positions, and when the document was made. */
type Marks = Omit<FeedHead, 'position'> & { readonly iss: string }

/** Every fact of the range that was not over. */
export type ChangesDocument = Marks & { readonly kind: 'changes' } & PositionRange & Facts

/** A chain of segments from 0 to `position`. */
export type SnapshotDocument = Marks & {
  readonly kind: 'snapshot'
  readonly position: number
  readonly segments: readonly (readonly [from: number, to: number])[]
}

export type RevocationDocument = ChangesDocument | SnapshotDocument

export const NO_FACTS: Facts = { ended: [], cutOffs: [] }

const joinTails = (pieces: readonly Uint8Array[]): Uint8Array => {
  const [only] = pieces
  if (only !== undefined && pieces.length === 1) return only
  const joined = new Uint8Array(pieces.reduce((bytes, piece) => bytes + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}

type Page = { readonly ended: ReadonlyMap<Seconds, Uint8Array>; readonly cutOffs: readonly CutOffFact[] }

/** The facts of pages that follow one another. */
export const joinPages = (pages: readonly Page[]): Facts => {
  const bySecond = Map.groupBy(
    pages.flatMap(({ ended }) => [...ended]),
    ([exp]) => exp,
  )
  return {
    ended: [...bySecond].map(([exp, some]) => [exp, joinTails(some.map(([, tails]) => tails))] as const),
    cutOffs: pages.flatMap(({ cutOffs }) => cutOffs),
  }
}

const TAIL_BYTES = 8

/** How many facts a page holds. */
export const countFacts = ({ ended, cutOffs }: Page): number =>
  [...ended.values()].reduce((facts, tails) => facts + tails.length / TAIL_BYTES, cutOffs.length)

/** A segment of a snapshot; `until`: the last second in which one of its facts matters, 0 without facts. */
export type Segment = PositionRange & {
  readonly until: Seconds
  readonly facts: number
}

const isOver = ({ until }: Segment, now: Milliseconds): boolean => now > 1000 * until

const joinSegments = (first: Segment, second: Segment, now: Milliseconds): Segment => ({
  from: first.from,
  to: second.to,
  until: Math.max(first.until, second.until),
  facts: (isOver(first, now) ? 0 : first.facts) + (isOver(second, now) ? 0 : second.facts),
})

/** Returns the chain without needless segments: one whose facts are all over is merged with its neighbor. */
export const dropOver = (chain: readonly Segment[], now: Milliseconds): readonly Segment[] => {
  const kept: Segment[] = []
  for (const segment of chain) {
    const before = kept.at(-1)
    if (before === undefined || !(isOver(before, now) || isOver(segment, now))) kept.push(segment)
    else kept[kept.length - 1] = joinSegments(before, segment, now)
  }
  return kept
}
