// A revocation feed in memory, which a test lets grow, hang, fail and start over.
import { randomBytes, randomUUID } from 'node:crypto'
import type { CutOffFact } from '../../server/src/domain/ledger/cut-off-fact.ts'
import { Unavailable } from '../../server/src/domain/refusal.ts'
import { type FeedPage, PAGE_FACTS_MAX, type RevocationFeed } from '../../server/src/ports/revocation-feed.ts'
import type { FeedHead } from '../../api/values/feed.ts'
import type { Milliseconds, Seconds } from '../../api/values/time.ts'

type Fact =
  | { readonly kind: 'ended'; readonly until: Seconds; readonly tails: Uint8Array }
  | { readonly kind: 'cut_off'; readonly until: Seconds; readonly cutOff: CutOffFact }

export type FeedInMemory = RevocationFeed & {
  /** Ends tokens, at the next position; returns it. */
  readonly end: (exp: Seconds, tails: Uint8Array) => number
  readonly cutOff: (cutOff: CutOffFact) => number
  /** History is rewritten: another epoch, whose feed is empty. */
  readonly rewrite: () => void
  /** Nothing is answered until what it returns is called. */
  readonly hang: () => () => void
  /** Every read fails until what it returns is called. */
  readonly fail: (fault?: Error) => () => void
  /** How often each was read. */
  readonly reads: { heads: number; pages: number }
}

/** The epoch with which it begins. */
export const FIRST_EPOCH = 'first'

/** The query of a follower that holds nothing yet. */
export const FROM_START = `epoch=${FIRST_EPOCH}&position=0`

const TAIL_BYTES = 8

const factsIn = (fact: Fact): number => (fact.kind === 'ended' ? fact.tails.length / TAIL_BYTES : 1)

const joined = (pieces: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(pieces))

const tookOf = (facts: readonly Fact[], pageFactsMax: number): readonly Fact[] => {
  let count = 0
  const end = facts.findIndex((fact, n) => {
    count += factsIn(fact)
    return n > 0 && count > pageFactsMax
  })
  return end === -1 ? facts : facts.slice(0, end)
}

/** Returns the page, as the port defines it, with these facts. */
const pageOf = (head: FeedHead, from: number, taken: readonly Fact[]): FeedPage => {
  const live = taken.filter(({ until }) => head.now <= 1000 * until)
  const ended = live.filter(fact => fact.kind === 'ended')
  const bySecond = [...Map.groupBy(ended, ({ until }) => until)]
  return {
    epoch: head.epoch,
    from,
    to: from + taken.length,
    head,
    ended: new Map(bySecond.map(([until, some]) => [until, joined(some.map(({ tails }) => tails))])),
    cutOffs: live.flatMap(fact => (fact.kind === 'cut_off' ? [fact.cutOff] : [])),
    until: live.reduce((last, { until }) => Math.max(last, until), 0),
  }
}

/** `pageFactsMax`: smaller pages, for a test of what does not fit into one. */
export const makeFeedInMemory = (now: () => Milliseconds, pageFactsMax = PAGE_FACTS_MAX): FeedInMemory => {
  let epoch: string = FIRST_EPOCH
  let facts: Fact[] = []
  let hanging: Promise<void> = Promise.resolve()
  let failing: Error | undefined
  const reads = { heads: 0, pages: 0 }

  const add = (fact: Fact): number => facts.push(fact)

  const head = (): FeedHead => ({ epoch, position: facts.length, now: now() })

  /** The read sees what there is when it ends, which may be later than when it began. */
  const answer = async <Answer>(read: () => Answer): Promise<Answer> => {
    await hanging
    await new Promise(resolve => setImmediate(resolve))
    await hanging
    if (failing !== undefined) throw failing
    return read()
  }

  return {
    reads,
    head: () => {
      reads.heads += 1
      return answer(head)
    },
    read: ({ epoch: asked, from, to }) => {
      reads.pages += 1
      return answer(() => {
        const last = to ?? facts.length
        return (asked ?? epoch) !== epoch || from > facts.length || last > facts.length
          ? 'epoch_changed'
          : pageOf(head(), from, tookOf(facts.slice(from, last), pageFactsMax))
      })
    },
    end: (until, tails) => add({ kind: 'ended', until, tails }),
    cutOff: cutOff => add({ kind: 'cut_off', until: cutOff.until, cutOff }),
    rewrite: () => {
      epoch = randomUUID()
      facts = []
    },
    hang: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      hanging = promise
      return resolve
    },
    fail: (fault = new Unavailable('The feed is made to fail.')) => {
      failing = fault
      return () => {
        failing = undefined
      }
    },
  }
}

/** The tail of some token. */
export const someTail = (): Uint8Array => new Uint8Array(randomBytes(TAIL_BYTES))
