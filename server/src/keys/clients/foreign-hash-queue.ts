// The order in which secrets are verified against other servers' hashes, one at a time: bounded, and fair by credential
// and by network, so that wrong secrets for one client delay no other one, and its own right secret by a few turns.
// docs/decisions/archive/0035-fair-verification.md
import type { Timing } from '../../ports/timing.ts'
import { cache } from '../cache.ts'

/** Different secrets that may wait or be under verification: all together, and of one share of a credential. */
const VERIFICATIONS_MAX = 64
const VERIFICATIONS_OF_ONE_MAX = 4
/** After a verification its credential rests so many times as long as that took: guesses get a quarter of a core. */
const REST_PARTS = 3

const CREDENTIALS_MAX = 1_024
const NETWORKS_MAX = 4_096
const KNOWN_NETWORKS_MAX = 8

const NEVER = 0

export type Verification = {
  readonly credentialId: string
  /** Where the request came from, as `networkOf` says. */
  readonly network: string
  /** What has not begun when it passes is not begun; later where others ask for the same. */
  until: number
}

type Asker = Pick<Verification, 'credentialId' | 'network'>
type Rank = readonly [number, number]
type Turns = { last: number }

/**
 * Orders by the last turn, the oldest first. Of the turns of share and network the later one counts, so that neither one credential
 * from many networks nor one network with many credentials is served before others again and again.
 */
const makeTurns = () => {
  const knownNetworks = cache(CREDENTIALS_MAX, () => new Set<string>())
  const shares = cache(2 * CREDENTIALS_MAX, (): Turns => ({ last: NEVER }))
  const networks = cache(NETWORKS_MAX, (): Turns => ({ last: NEVER }))
  let turn = NEVER

  // Networks from which the right secret came have a share of their own: guesses from others, however many, leave it to
  // them. Which secret was right is not cached: a caller that is served sooner for it would learn what a fast hash reveals.
  const shareOf = ({ credentialId, network }: Asker): string =>
    knownNetworks(credentialId).has(network) ? `${credentialId} known` : credentialId

  const rankOf = (asker: Asker): Rank => {
    const [share, network] = [shares(shareOf(asker)).last, networks(asker.network).last]
    return [Math.max(share, network), Math.min(share, network)]
  }

  return {
    shareOf,
    inOrder: <T extends Asker>(askers: readonly T[]): readonly T[] =>
      askers
        .map(one => ({ one, rank: rankOf(one) }))
        .toSorted((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1])
        .map(({ one }) => one),
    take: (asker: Asker): void => {
      turn += 1
      shares(shareOf(asker)).last = turn
      networks(asker.network).last = turn
    },
    know: ({ credentialId, network }: Asker): void => {
      const known = knownNetworks(credentialId)
      if (known.size < KNOWN_NETWORKS_MAX) known.add(network)
    },
  }
}

export type RestTiming = Pick<Timing, 'hashCleanAfterMs' | 'hashRestBehindMs'>

/**
 * How long what is verified for a credential keeps the next of the same waiting, and no other one. Rests of different
 * credentials overlap; where they add up to more than `hashRestBehindMs`, the thread itself rests too.
 */
const makeRests = ({ hashCleanAfterMs, hashRestBehindMs }: RestTiming) => {
  const credentials = cache(CREDENTIALS_MAX, () => ({ restsUntil: -Infinity, verifiedAt: -Infinity }))
  // When all rests would have ended, one after another.
  let restedAt = -Infinity
  return {
    startsAt: ({ credentialId }: Asker, now: number): number => {
      const { restsUntil, verifiedAt } = credentials(credentialId)
      const isClean = now - verifiedAt >= hashCleanAfterMs
      return isClean ? restsUntil : Math.max(restsUntil, restedAt - hashRestBehindMs)
    },
    charge: ({ credentialId }: Asker, workedMs: number, now: number): void => {
      const restMs = REST_PARTS * workedMs
      const credential = credentials(credentialId)
      credential.restsUntil = now + restMs
      credential.verifiedAt = now
      restedAt = Math.min(Math.max(now, restedAt), now + hashRestBehindMs) + restMs
    },
  }
}

type Result = { readonly now: number; readonly workedMs: number; readonly isRight: boolean }

export const makeForeignHashQueue = <T extends Verification>(timing: RestTiming) => {
  const turns = makeTurns()
  const rests = makeRests(timing)
  // In the order of arrival.
  let waiting: readonly T[] = []
  let underWay: T | undefined

  const begin = (one: T): { readonly begun: T } => {
    turns.take(one)
    waiting = waiting.filter(other => other !== one)
    underWay = one
    return { begun: one }
  }

  /** Those among whom there is no room for another one; undefined where there is room. */
  const fullOf = (one: T): readonly T[] | undefined => {
    const share = turns.shareOf(one)
    const ofShare = waiting.filter(other => turns.shareOf(other) === share)
    const isUnderWay = underWay !== undefined && turns.shareOf(underWay) === share
    if (ofShare.length + Number(isUnderWay) >= VERIFICATIONS_OF_ONE_MAX) return ofShare
    return waiting.length + Number(underWay !== undefined) >= VERIFICATIONS_MAX ? waiting : undefined
  }

  return {
    /** Adds a verification. Returns the one that is refused to make room, which may be the new one. */
    add: (one: T): T | undefined => {
      const full = fullOf(one)
      // Where there is no room, the last in the queue gives way.
      const last = full === undefined ? undefined : turns.inOrder([...full, one]).at(-1)
      waiting = [...waiting, one].filter(other => other !== last)
      return last
    },
    /** Takes out what must have begun by now and has not. */
    expire: (now: number): readonly T[] => {
      const late = waiting.filter(({ until }) => until <= now)
      waiting = waiting.filter(({ until }) => until > now)
      return late
    },
    /** Begins the next one, or says how long to wait; undefined where none waits, or one has not ended. */
    next: (now: number): { readonly begun: T } | { readonly waitMs: number } | undefined => {
      if (underWay !== undefined || waiting.length === 0) return undefined
      const [first] = turns.inOrder(waiting.filter(one => rests.startsAt(one, now) <= now))
      if (first !== undefined) return begin(first)
      return { waitMs: Math.min(...waiting.map(one => rests.startsAt(one, now))) - now }
    },
    /** Ends the one that was begun. */
    end: (one: T, { now, workedMs, isRight }: Result): void => {
      rests.charge(one, workedMs, now)
      if (isRight) turns.know(one)
      underWay = undefined
    },
  }
}
