// The port of the revocation feed over a store's reader.
import type { FeedPage, FeedRange, RevocationFeed } from '../../ports/revocation-feed.ts'
import type { Reader } from '../snapshot.ts'
import { given, type Program } from '../statement-program.ts'
import { readHead, readPage } from './read-feed.ts'

/** What a store does in its own way. */
export type FeedParts = {
  /** Returns what of the database changes the epoch. */
  readonly epochSuffix: () => Program<string>
  /** Reads the head; without it the head is read in a snapshot of its own. */
  readonly head?: RevocationFeed['head']
  /** Reads a page faster where it can; undefined: it is read as any other. */
  readonly fewFacts?: (range: FeedRange) => Promise<FeedPage | 'epoch_changed' | undefined>
}

/** The parts of a feed on a database without fail-over. */
export const NO_SUFFIX: FeedParts = { epochSuffix: () => given('') }

export const makeRevocationFeed = ({ read }: Reader, { epochSuffix, head, fewFacts }: FeedParts): RevocationFeed => ({
  head: head ?? (() => read(({ now }) => readHead(now, epochSuffix))),
  read: async range =>
    (await fewFacts?.(range)) ??
    read(function* ({ now }) {
      return yield* readPage(yield* readHead(now, epochSuffix), range)
    }),
})
