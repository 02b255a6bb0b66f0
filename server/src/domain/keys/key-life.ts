// The life of a signing key: next, current, retained, gone. What is due is decided here, from one look at all keys.
import { LIFETIME_SECONDS_MAX } from '../../../../api/values/limits.ts'
import type { PublicJwk } from './signing-key.ts'
import type { SigningAlgorithm } from '../../../../api/values/algorithms.ts'
import { DAY_MS, type Milliseconds } from '../../../../api/values/time.ts'

/**
 * `next`: published, does not sign yet. `current`: signs. `retained`: published for the tokens that it signed.
 * `gone`: no longer published. `compromised`: taken out of the key set at once, and its tokens ended.
 */
export type KeyState = 'next' | 'current' | 'retained' | 'gone' | 'compromised'

/** How long a cache may keep the key set: the `max-age` that is sent with it. */
export const KEY_SET_MAX_AGE_SECONDS = 300
/** What an answer may be on its way, and what a verifier's clock may run slower than ours. */
export const KEY_MARGIN_SECONDS = 60
/** A key is published for so long before it signs: nobody holds a key set without it any more. */
export const PUBLISHED_SECONDS_MIN = KEY_SET_MAX_AGE_SECONDS + KEY_MARGIN_SECONDS

/** `off` is null: a key signs until somebody rotates. */
export type KeyPolicy = {
  readonly algorithm: SigningAlgorithm
  readonly rotationDays: number | null
  /** Of tokens whose agent has none of its own. */
  readonly lifetimeSeconds: number
}

/** A signing key, without its private half. */
export type KeyRecord = {
  readonly number: number
  readonly publicJwk: PublicJwk
  readonly thumbprint: string
  readonly state: KeyState
  /** Its private half came from outside: others may have signed with it. */
  readonly imported: boolean
  readonly createdAt: Milliseconds
  /** When it began to sign; null: it never did. */
  readonly signsFrom: Milliseconds | null
  /** When it ceased to. */
  readonly signsUntil: Milliseconds | null
  /** When it left the key set. */
  readonly goneAt: Milliseconds | null
  /** How long a service has been running since it was published as next, or retained; counted as far as it matters. */
  readonly steadyMs: number
  /** Somebody asked that it sign as soon as it may. */
  readonly wanted: boolean
}

/**
 * Whether every verifier that keeps to `max-age` has the key. Told by the time that a service ran, not by the clock: one
 * that was set forward over a restart makes a key look older than it is.
 */
export const isPublishedLongEnough = ({ steadyMs }: KeyRecord): boolean => steadyMs >= 1000 * PUBLISHED_SECONDS_MIN

/** How long a key is published after it ceased to sign, in seconds. `longest` is the longest lifetime of its tokens. */
export const keptSeconds = ({ imported }: Pick<KeyRecord, 'imported'>, longest: number): number =>
  // What an imported key signed elsewhere lived as long as a token of ours may at most.
  (imported ? LIFETIME_SECONDS_MAX : longest) + KEY_MARGIN_SECONDS

/** Whether no token that the key signed is alive: by the time that a service ran, as above. */
const isKeptLongEnough = (key: KeyRecord, longest: number): boolean => key.steadyMs >= 1000 * keptSeconds(key, longest)

/** Whether it matters how long a service has been running since the key came to its state. */
export const isCounted = (key: KeyRecord): boolean =>
  key.state === 'retained' || (key.state === 'next' && !isPublishedLongEnough(key))

/** All keys that are not gone, and what decides over them. */
type LifeView = {
  readonly keys: readonly KeyRecord[]
  readonly policy: KeyPolicy
  /** The longest lifetime, in seconds, of any token that may be alive. */
  readonly longest: number
  readonly now: Milliseconds
}

/**
 * `make`: there is none to follow the current key. `discard`: the next one is of another algorithm than is configured.
 * `promote`: the next one signs from now on. `drop`: nothing that this one signed is alive.
 */
export type LifeStep =
  | { readonly kind: 'make' }
  | { readonly kind: 'discard' | 'promote' | 'drop'; readonly key: KeyRecord }

export const keyIn = (keys: readonly KeyRecord[], state: KeyState): KeyRecord | undefined =>
  keys.find(key => key.state === state)

const isRotationDue = (current: KeyRecord, { policy, now }: LifeView): boolean => {
  if (current.publicJwk.alg !== policy.algorithm) return true
  const { rotationDays } = policy
  return rotationDays !== null && now - (current.signsFrom ?? current.createdAt) >= rotationDays * DAY_MS
}

/** The one thing that is due now; undefined where nothing is. A store without a current key waits for `migrate`. */
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
