// Keeps one token and replaces it in time: one request in flight, shared by all who wait; a token that is still valid is
// handed out while it is replaced, and while that fails.
import { untilAborted } from '../../../verify/src/wire/deadline.ts'
import type { AccessToken } from './access-token.ts'
import { TokenRefused, TokenUnavailable } from './token-errors.ts'

/** The clocks and the dice of the machine. */
export type World = {
  /** Never falls, and may stand still while the machine sleeps. In ms. */
  readonly monotonicMs: () => number
  /** May be set forth and back. In ms since 1970. */
  readonly wallMs: () => number
  /** Returns a number of at least 0 and below 1. */
  readonly random: () => number
}

/** An instant by both clocks. */
export type Mark = { readonly monotonicMs: number; readonly wallMs: number }

export const markNow = ({ monotonicMs, wallMs }: World): Mark => ({ monotonicMs: monotonicMs(), wallMs: wallMs() })

export type Obtained = {
  readonly token: AccessToken
  readonly lifetimeMs: number
  /** When the request for it was sent: its life began later. */
  readonly sentAt: Mark
}

/** A token is replaced at a share of its life between these, another for each token, so that a fleet does not ask at once. */
const REFRESH_SHARE_MIN = 0.7
const REFRESH_SHARE_MAX = 0.85
/** The time before its end from which a token is not returned any more: it must still arrive. It is a tenth of a short life. */
const MARGIN_MS = 5_000
const MARGIN_SHARE = 0.1
/** The pause after a failure without `Retry-After`, doubled by each failure after it. */
const PAUSE_MS_MIN = 500
const PAUSE_MS_MAX = 30_000

/** Clients that got the same time do not come back in the same moment. */
const SPREAD_SHARE = 0.1

type Kept = Obtained & { readonly refreshAfterMs: number; readonly usableMs: number }

type Failure = { readonly error: unknown; readonly at: Mark; readonly pauseMs: number; readonly count: number }

export type TokenCache = {
  readonly get: (signal: AbortSignal | undefined) => Promise<AccessToken>
  /** Whether it is what is handed out. */
  readonly isCurrent: (value: string) => boolean
  /** The token is not handed out again. */
  readonly drop: (value: string) => void
}

export type TokenCacheOptions = {
  readonly world: World
  readonly request: () => Promise<Obtained>
  /** Called when a refresh fails that nobody waits for. Never rejects. */
  readonly onRefreshFailure: (error: unknown) => Promise<void>
}

const pauseAfter = (error: unknown, count: number, random: () => number): number => {
  // The caller's own function or key failed: the service was asked nothing, and the next call may find it well.
  if (!(error instanceof TokenUnavailable || error instanceof TokenRefused)) return 0
  if (error instanceof TokenUnavailable && error.retryAfterSeconds !== undefined) {
    return error.retryAfterSeconds * 1000 * (1 + SPREAD_SHARE * random())
  }
  const longest = Math.min(PAUSE_MS_MIN * 2 ** Math.min(count - 1, 16), PAUSE_MS_MAX)
  return longest * (0.5 + random() / 2)
}

/** Returns the failure with the time that is left. */
const again = (error: unknown, leftMs: number): unknown =>
  error instanceof TokenUnavailable ? new TokenUnavailable(error.reason, Math.max(1, Math.ceil(leftMs / 1000))) : error

export const makeTokenCache = ({ world, request, onRefreshFailure }: TokenCacheOptions): TokenCache => {
  let kept: Kept | undefined
  let failure: Failure | undefined
  let inFlight: Promise<AccessToken> | undefined

  /** Returns the age by the clock that advanced further: no token lives longer when a clock was set back or stood still. */
  const ageOf = (mark: Mark): number => {
    const now = markNow(world)
    return Math.max(now.monotonicMs - mark.monotonicMs, now.wallMs - mark.wallMs)
  }

  const isUsable = ({ sentAt, usableMs }: Kept): boolean => ageOf(sentAt) < usableMs

  const keep = (obtained: Obtained): AccessToken => {
    const { token, lifetimeMs } = obtained
    const share = REFRESH_SHARE_MIN + (REFRESH_SHARE_MAX - REFRESH_SHARE_MIN) * world.random()
    const usableMs = lifetimeMs - Math.min(MARGIN_MS, lifetimeMs * MARGIN_SHARE)
    const next = { ...obtained, refreshAfterMs: lifetimeMs * share, usableMs }
    if (!isUsable(next)) throw new TokenUnavailable('the answer took longer than the token lives')
    kept = next
    failure = undefined
    return token
  }

  const ask = async (): Promise<AccessToken> => {
    try {
      return keep(await request())
    } catch (error) {
      const count = (failure?.count ?? 0) + 1
      failure = { error, at: markNow(world), pauseMs: pauseAfter(error, count, world.random), count }
      throw error
    }
  }

  const refresh = (): Promise<AccessToken> =>
    (inFlight ??= ask().finally(() => {
      inFlight = undefined
    }))

  /** The pause is of the monotonic clock alone: one that is set forth must not make a fleet ask at once. */
  const pauseLeftMs = (): number =>
    failure === undefined ? 0 : failure.pauseMs - (world.monotonicMs() - failure.at.monotonicMs)

  const refreshAside = (): void => {
    if (inFlight === undefined && pauseLeftMs() <= 0) refresh().catch(onRefreshFailure)
  }

  const get: TokenCache['get'] = async signal => {
    signal?.throwIfAborted()
    if (kept !== undefined && isUsable(kept)) {
      if (ageOf(kept.sentAt) >= kept.refreshAfterMs) refreshAside()
      return kept.token
    }
    const leftMs = pauseLeftMs()
    if (inFlight === undefined && failure !== undefined && leftMs > 0) throw again(failure.error, leftMs)
    return untilAborted(refresh, signal)
  }

  const isCurrent = (value: string): boolean => kept?.token.value === value

  return {
    get,
    isCurrent,
    drop: value => {
      if (isCurrent(value)) kept = undefined
    },
  }
}
