// Reads a snapshot: all of its segments, or nothing. The caller never gets facts in which a segment is missing.
import { RequestFailure } from '../wire/http.ts'
import type { Changes, Range } from './document.ts'
import { type FactBounds, type Facts, makeFacts } from './facts.ts'
import { type FeedRequests, StartOver } from './requests.ts'

const SEGMENTS_AT_ONCE = 4

const isRange = ({ from, to }: Changes, [wantedFrom, wantedTo]: Range): boolean =>
  from === wantedFrom && to === wantedTo

/** The facts of the epoch up to the position of its snapshot. */
export const loadSnapshot = async (
  requests: FeedRequests,
  epoch: string,
  { signal, bounds }: { readonly signal: AbortSignal; readonly bounds: FactBounds | undefined },
): Promise<Facts> => {
  const { segments, ...snapshot } = await requests.snapshot(epoch, signal)
  if (snapshot.epoch !== epoch) throw new StartOver('The snapshot is of another epoch.')
  const facts = makeFacts(epoch, bounds)
  for (let n = 0; n < segments.length; n += SEGMENTS_AT_ONCE) {
    const ranges = segments.slice(n, n + SEGMENTS_AT_ONCE)
    const read = await Promise.all(ranges.map(range => requests.segment(epoch, range, signal)))
    for (const [at, changes] of read.entries()) {
      const applied = isRange(changes, ranges[at] ?? [0, 0]) ? facts.apply(changes) : 'gap'
      if (applied !== 'applied') throw new RequestFailure(`A segment of the snapshot cannot be applied: ${applied}.`)
    }
  }
  facts.passTime(snapshot.now)
  if (facts.position() !== snapshot.position) throw new RequestFailure('The snapshot lacks a segment.')
  return facts
}
