// What a client holds of tokens that were got for the tokens in the table (RFC 8693): each is dead as soon as an ancestor is.
import type { Random } from '../random.ts'

const HELD_MAX = 400
/** The greatest depth that the service permits a token. */
const DEPTH_MAX = 8

/** A token got for the token in a place, or for another such one. Times are monotonic, in nanoseconds. */
export type Descendant = {
  readonly text: string
  readonly place: number
  /** The token in the place when the first of the family was got. */
  readonly root: string
  readonly parent: Descendant | undefined
  readonly expiresAtMs: number
  /** When its own revocation was sent, and when that was answered. */
  revokeSent: bigint
  revoked: bigint
}

const NEVER = 0x7fff_ffff_ffff_ffffn

const withAncestors = (one: Descendant): readonly Descendant[] =>
  one.parent === undefined ? [one] : [one, ...withAncestors(one.parent)]

const least = (times: readonly bigint[]): bigint => times.reduce((a, b) => (b < a ? b : a), NEVER)

/** Returns since when a revocation of the token, or of an ancestor below the root, is acknowledged. */
export const revokedSince = (one: Descendant): bigint => least(withAncestors(one).map(({ revoked }) => revoked))

/** Whether nothing but the end of its root can have ended it. */
export const canOnlyEndWithRoot = (one: Descendant): boolean =>
  Date.now() < one.expiresAtMs && withAncestors(one).every(({ revokeSent }) => revokeSent === NEVER)

export const mayHaveChildren = (one: Descendant): boolean => withAncestors(one).length < DEPTH_MAX

export const makeDescendants = (random: Random) => {
  const held: Descendant[] = []
  return {
    add: (one: Omit<Descendant, 'revokeSent' | 'revoked'>): void => {
      const kept = { ...one, revokeSent: NEVER, revoked: NEVER }
      if (held.length < HELD_MAX) held.push(kept)
      else held[random.below(HELD_MAX)] = kept
    },
    pick: (): Descendant | undefined => (held.length === 0 ? undefined : held[random.below(held.length)]),
    /** Returns the latest descendants of one root, at most so many. */
    of: (root: string, most: number): readonly Descendant[] => held.filter(one => one.root === root).slice(-most),
    drop: (one: Descendant): void => void held.splice(held.indexOf(one), 1),
  }
}
