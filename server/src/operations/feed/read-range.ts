// Signed documents with the facts of a range of the revocation feed: made once, and shared by all who ask for the range.
import type { PositionRange } from '../../../../api/values/feed.ts'
import { countFacts, joinPages } from '../../domain/ledger/revocation-document.ts'
import { type FeedPage, PAGE_FACTS_MAX } from '../../ports/revocation-feed.ts'
import { Overloaded } from '../../domain/refusal.ts'
import { makePermitQueue, type Release } from '../../ports/permit-queue.ts'
import type { Ports } from '../../ports/ports.ts'
import { readSigningKey, signDocumentsBy, type SigningPorts } from './sign-documents.ts'

export type FeedPorts = SigningPorts & Pick<Ports, 'feed'>

/** Pages without facts that are read for one document at most: facts that were over before they were removed. */
const PAGES_MAX = 1024
/** Ranges that wait to be read, of a thread. */
const RANGES_WAITING_MAX = 256
/** Documents in memory, of a thread; a page of cut-offs may take some MB. */
const CACHED_BYTES_MAX = 33_554_432

const FULL = 'More ranges of the revocation feed are asked for than can be read.'

type WantedRange = PositionRange & { readonly epoch: string }

/** It never changes. `to` is smaller than what was asked for where a document does not hold as much. */
export type RangeDocument = WantedRange & {
  /** A compact JWS. */
  readonly text: string
  /** The key that signed it. */
  readonly kid: string
}

export type RangeReader = {
  /** `epoch_changed`: the epoch is another, or a position is beyond the feed's. `by`: the caller in whose turn it is read. */
  readonly read: (wanted: WantedRange, by: string) => Promise<RangeDocument | 'epoch_changed'>
}

/** A page, and those after it that hold nothing which would make the document much larger. */
const readPages = async ({ feed }: Pick<Ports, 'feed'>, { epoch, from, to }: WantedRange) => {
  const pages: FeedPage[] = []
  let [at, facts] = [from, 0]
  do {
    const page = await feed.read({ epoch, from: at, to })
    if (page === 'epoch_changed') return page
    pages.push(page)
    at = page.to
    facts += countFacts(page)
  } while (at < to && facts <= PAGE_FACTS_MAX && pages.length < PAGES_MAX)
  return pages
}

const makeDocument = async (ports: FeedPorts, wanted: WantedRange): Promise<RangeDocument | 'epoch_changed'> => {
  // The range ends at a head that was read before: the key is of no earlier time than its facts.
  const [signingKey, pages] = await Promise.all([readSigningKey(ports), readPages(ports, wanted)])
  const first = pages[0]
  const last = pages.at(-1)
  if (pages === 'epoch_changed' || first === undefined || typeof first === 'string') return 'epoch_changed'
  const { epoch, from } = wanted
  const to = typeof last === 'object' ? last.to : from
  // The time of the first page: what was over by a later one was left out, and is over for nobody earlier.
  const { now } = first.head
  const unsigned = { kind: 'changes', epoch, now, from, to, ...joinPages(pages) } as const
  const [text] = signDocumentsBy(signingKey, ports, [unsigned])
  if (text === undefined) throw new Error('A document was not signed.')
  return { epoch, from, to, text, kid: signingKey.publicJwk.kid }
}

/** Reads each range anew, for one who asks for each once. */
export const makeRangeReaderOfOne = (ports: FeedPorts): RangeReader => ({
  read: wanted => makeDocument(ports, wanted),
})

/** The documents of one key in one epoch, the ones used longest ago first. */
const makeCache = () => {
  let kept = new Map<string, RangeDocument>()
  let bytes = 0
  let version = ''
  return {
    /** Forgets all that is of another version. */
    turnTo: (other: string): void => {
      if (other === version) return
      version = other
      kept = new Map()
      bytes = 0
    },
    find: (key: string): RangeDocument | undefined => {
      const found = kept.get(key)
      if (found === undefined) return undefined
      kept.delete(key)
      kept.set(key, found)
      return found
    },
    keep: (key: string, document: RangeDocument): void => {
      if (document.text.length > CACHED_BYTES_MAX || kept.has(key)) return
      kept.set(key, document)
      bytes += document.text.length
      for (const [oldest, { text }] of kept) {
        if (bytes <= CACHED_BYTES_MAX) break
        kept.delete(oldest)
        bytes -= text.length
      }
    },
  }
}

/** A range that waits for its turn, or is being read. */
type Reading = {
  readonly document: Promise<RangeDocument | 'epoch_changed'>
  readonly begin: (release: Release) => void
  readonly refuse: () => void
  /** The callers in whose turns it waits. */
  readonly callers: Set<string>
  isBegun: boolean
}

const makeReading = (make: () => Promise<RangeDocument | 'epoch_changed'>): Reading => {
  const { promise: document, resolve, reject } = Promise.withResolvers<RangeDocument | 'epoch_changed'>()
  const reading: Reading = {
    document,
    begin: release => {
      // The turn of another caller began it already.
      if (reading.isBegun) return release()
      reading.isBegun = true
      make().then(resolve, reject).finally(release)
    },
    refuse: () => reject(new Overloaded(FULL)),
    callers: new Set(),
    isBegun: false,
  }
  return reading
}

/** Reads one range at a time. Callers take turns; where too many wait, the caller with the most gives up its last. */
const makeTurns = () => {
  const queue = makePermitQueue({ atOnceMax: 1, waitingMax: RANGES_WAITING_MAX })
  /** Gives it a turn of this caller. Where there is no room for one, it is read in the turn of another, if it has any. */
  return (reading: Reading, by: string): void => {
    const { callers, begin, refuse } = reading
    if (reading.isBegun || callers.has(by)) return
    callers.add(by)
    const leave = (): void => {
      callers.delete(by)
      if (callers.size === 0 && !reading.isBegun) refuse()
    }
    queue.enter(by, { begin, refuse: leave })
  }
}

/** Makes the reader of one thread. It reads one range at a time, and each range once for all who ask for it meanwhile. */
export const makeRangeReader = (ports: FeedPorts): RangeReader => {
  const cache = makeCache()
  const underWay = new Map<string, Reading>()
  const enter = makeTurns()

  const make = async (key: string, wanted: WantedRange): Promise<RangeDocument | 'epoch_changed'> => {
    const made = await makeDocument(ports, wanted)
    if (made === 'epoch_changed') return made
    cache.turnTo(`${made.kid} ${wanted.epoch}`)
    cache.keep(key, made)
    return made
  }

  return {
    read: async (wanted, by) => {
      const signingKey = await readSigningKey(ports)
      cache.turnTo(`${signingKey.publicJwk.kid} ${wanted.epoch}`)
      const key = `${wanted.from}-${wanted.to}`
      const known = cache.find(key)
      if (known !== undefined) return known
      const asked = `${signingKey.publicJwk.kid} ${wanted.epoch} ${key}`
      const other = underWay.get(asked)
      // It waits in a turn of this caller too: the turn of the other caller may be far away.
      if (other !== undefined) {
        enter(other, by)
        return other.document
      }
      const reading = makeReading(() => make(key, wanted))
      enter(reading, by)
      underWay.set(asked, reading)
      const forget = (): void => void underWay.delete(asked)
      reading.document.then(forget, forget)
      return reading.document
    },
  }
}
