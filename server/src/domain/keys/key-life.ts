// The life of a signing key: next, current, retained, gone. Decides which step is due, from one snapshot of all keys.
import { LIFETIME_SECONDS_MAX } from '../../../../api/values/limits.ts'
import type { PublicJwk } from './signing-key.ts'
import type { SigningAlgorithm } from '../../../../api/values/algorithms.ts'
import { DAY_MS, type Milliseconds } from '../../../../api/values/time.ts'

/**
 * `next`: published, does not sign yet. `current`: signs. `retained`: published for the tokens that it signed.
 * `gone`: no longer published. `compromised`: taken out of the key set at once, and its tokens ended.
 */
export type KeyState = 'next' | 'current' | 'retained' | 'gone' | 'compromised'

/** How long the key set may be cached: its `max-age`. */
export const KEY_SET_MAX_AGE_SECONDS = 300
/** Allowance for a response in transit and a verifier's slower clock. */
export const KEY_MARGIN_SECONDS = 60
/** How long a key is published before it signs: then no cached key set lacks it. */
export const PUBLISHED_SECONDS_MIN = KEY_SET_MAX_AGE_SECONDS + KEY_MARGIN_SECONDS

/** When signing keys rotate. `rotationDays` is null for `off`: a key signs until an operator rotates. */
export type KeyPolicy = {
  readonly algorithm: SigningAlgorithm
  readonly rotationDays: number | null
  /** The lifetime of tokens whose agent has none of its own. */
  readonly lifetimeSeconds: number
}

/** A signing key, without its private half. */
export type KeyRecord = {
  readonly number: number
  readonly publicJwk: PublicJwk
  readonly thumbprint: string
  readonly state: KeyState
  /** Its private half was imported: others may have signed with it. */
  readonly imported: boolean
  readonly createdAt: Milliseconds
  /** When it started to sign; null: it never did. */
  readonly signsFrom: Milliseconds | null
  /** When it stopped signing; null: it did not. */
  readonly signsUntil: Milliseconds | null
  /** When it left the key set; null: it did not. */
  readonly goneAt: Milliseconds | null
  /** Running time of the service since the key became next or retained; counted as long as it matters. */
  readonly steadyMs: number
  /** A rotation was requested: it signs as soon as it may. */
  readonly wanted: boolean
}

/**
 * Whether every verifier that respects `max-age` has the key. Decided by the running time of the service, not by the clock:
 * a clock set forward during a restart makes a key look older than it is.
 */
export const isPublishedLongEnough = ({ steadyMs }: KeyRecord): boolean => steadyMs >= 1000 * PUBLISHED_SECONDS_MIN

/** How long a key stays published after it stopped signing, in seconds. `longest` is the longest lifetime of its tokens. */
export const keptSeconds = ({ imported }: Pick<KeyRecord, 'imported'>, longest: number): number =>
  // Tokens signed elsewhere with an imported key are assumed to live at most as long as our longest lifetime.
  (imported ? LIFETIME_SECONDS_MAX : longest) + KEY_MARGIN_SECONDS

/** Whether no token that the key signed is live: by running time, as above. */
const isKeptLongEnough = (key: KeyRecord, longest: number): boolean => key.steadyMs >= 1000 * keptSeconds(key, longest)

/** Whether the running time since the key entered its state matters. */
export const isCounted = (key: KeyRecord): boolean =>
  key.state === 'retained' || (key.state === 'next' && !isPublishedLongEnough(key))

/** All keys that are not gone, and the settings that decide about them. */
type LifeView = {
  readonly keys: readonly KeyRecord[]
  readonly policy: KeyPolicy
  /** The longest lifetime, in seconds, of any token that may be live. */
  readonly longest: number
  readonly now: Milliseconds
}

/**
 * `make`: create a next key, because there is none. `discard`: the next key's algorithm is not the configured one.
 * `promote`: the next key signs from now on. `drop`: no token of this key is live.
 */
export type LifeStep =
  | { readonly kind: 'make' }
  | { readonly kind: 'discard' | 'promote' | 'drop'; readonly key: KeyRecord }

export const keyIn = (keys: readonly KeyRecord[], state: KeyState): KeyRecord | undefined =>
  keys.find(key => key.state === state)

/** When the key that signs now has signed long enough; null: not before an operator rotates. */
export const rotationTime = (
  { signsFrom, createdAt }: Pick<KeyRecord, 'signsFrom' | 'createdAt'>,
  { rotationDays }: Pick<KeyPolicy, 'rotationDays'>,
): Milliseconds | null => (rotationDays === null ? null : (signsFrom ?? createdAt) + rotationDays * DAY_MS)

const isRotationDue = (current: KeyRecord, { policy, now }: LifeView): boolean => {
  if (current.publicJwk.alg !== policy.algorithm) return true
  const at = rotationTime(current, policy)
  return at !== null && now >= at
}

/** The one step that is due now; undefined if none is. A store without a current key waits for `migrate`. */
export const dueLifeStep = (view: LifeView): LifeStep | undefined => {
  const { keys, policy, longest } = view
  const [current, next] = [keyIn(keys, 'current'), keyIn(keys, 'next')]
  const spent = keys.find(key => key.state === 'retained' && isKeptLongEnough(key, longest))
  if (spent !== undefined) return { kind: 'drop', key: spent }
  if (current === undefined) return undefined
  if (next === undefined) return { kind: 'make' }
  if (next.publicJwk.alg !== policy.algorithm) return { kind: 'discard', key: next }
  const isDue = next.wanted || isRotationDue(current, view)
  return isDue && isPublishedLongEnough(next) ? { kind: 'promote', key: next } : undefined
}
