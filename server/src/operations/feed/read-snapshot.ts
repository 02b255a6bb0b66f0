// The snapshot of the revocation feed: a chain of segments that hold all facts. A thread keeps the chain, and extends it.
import type { FeedHead } from '../../../../api/values/feed.ts'
import { countFacts, dropOver, type Segment } from '../../domain/ledger/revocation-document.ts'
import { type FeedPage, PAGE_FACTS_MAX } from '../../ports/revocation-feed.ts'
import type { FeedPorts } from './read-range.ts'
import { signDocuments } from './sign-documents.ts'

/** A compact JWS, and the head as of which its segments are complete. */
type Snapshot = { readonly text: string; readonly head: FeedHead }

/** A last segment with fewer facts is read again with those that follow it, so that there are few segments. */
const FULL_FACTS = PAGE_FACTS_MAX / 2

type Chain = { readonly epoch: string; readonly segments: readonly Segment[] }

const segmentOf = (page: FeedPage): Segment => ({
  from: page.from,
  to: page.to,
  until: page.until,
  facts: countFacts(page),
})

/** The chain without its last segment, unless that is full. */
const fullOf = ({ segments }: Chain): Segment[] => {
  const last = segments.at(-1)
  return last !== undefined && last.facts < FULL_FACTS ? segments.slice(0, -1) : [...segments]
}

/** Runs one at a time. All who ask before a run begins share it. */
const inTurns = <Answer>(run: () => Promise<Answer>): (() => Promise<Answer>) => {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<Answer> | undefined
  return () => {
    if (next !== undefined) return next
    const begun = last.then(() => {
      next = undefined
      return run()
    })
    next = begun
    last = begun.catch(() => undefined)
    return begun
  }
}

/** Makes the snapshots of one thread. During an extension of the chain a caller gets a further one, which begins at its end. */
export const makeSnapshots = (ports: FeedPorts): (() => Promise<Snapshot>) => {
  let chain: Chain | undefined

  /** Reads the pages after the chain. Returns null where the epoch is another than that of the chain. */
  const extend = async (): Promise<FeedHead | null> => {
    const segments = chain === undefined ? [] : fullOf(chain)
    for (;;) {
      const from = segments.at(-1)?.to ?? 0
      const page = await ports.feed.read({ epoch: chain?.epoch ?? null, from, to: null })
      if (page === 'epoch_changed') {
        chain = undefined
        return null
      }
      if (page.to > page.from) segments.push(segmentOf(page))
      // What is read is kept, also where a later page fails.
      chain = { epoch: page.epoch, segments }
      if (page.to < page.head.position) continue
      chain = { epoch: page.epoch, segments: dropOver(segments, page.head.now) }
      return page.head
    }
  }

  return inTurns(async () => {
    const head = (await extend()) ?? (await extend())
    if (head === null || chain === undefined) throw new Error('The epoch of the feed changes all the time.')
    const { epoch, now, position } = head
    const segments = chain.segments.map(({ from, to }) => [from, to] as const)
    const [text] = await signDocuments(ports, [{ kind: 'snapshot', epoch, now, position, segments }])
    if (text === undefined) throw new Error('A snapshot was not signed.')
    return { text, head }
  })
}
