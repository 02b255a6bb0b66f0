// Puts a verifier together from its parts.
import { takeAsked, takeRequest } from './asked.ts'
import { parseAuthorization } from './authorization.ts'
import { type Feed, placeOf } from './feed/feed.ts'
import { startFollower } from './feed/follower.ts'
import { makeReports, type Reports } from './feed/reports.ts'
import { makeFeedRequests } from './feed/requests.ts'
import { makeStaleness } from './feed/staleness.ts'
import { makeDigests } from './feed/subject.ts'
import { type Journal, makeJournal } from './journal.ts'
import { parseOptions, type Settings, type VerifierOptions } from './options.ts'
import { PROOF_ALGORITHMS } from './readers/proof-claims.ts'
import { makeProofMemory, PROOFS_OF_ONE_CLIENT_MAX, PROOFS_REMEMBERED_MAX } from './proofs/replays.ts'
import { isRefusal, type Refusal, refusal, refuse, type Refused } from './refusals.ts'
import { COMPACT_CHARACTERS_MAX } from './readers/compact-jws.ts'
import { type Parts, type CachedToken, verifyToken } from './token-verifier.ts'
import { makeIntrospection } from './tokens/introspection.ts'
import { makeKeySet } from './tokens/key-set.ts'
import { makeTokenCache, CACHED_BYTES_MAX, CACHED_TOKENS_MAX } from './tokens/token-cache.ts'
import { makeReader } from './tokens/signatures.ts'
import type { Asked, Status, Verified, Verifier } from './verifier.ts'
import { describeFault } from './wire/http.ts'
import { isNumberOf, onlyOne, takeMembers } from './wire/option-members.ts'
import { pause } from './wire/pause.ts'
import { type Runtime, WEB_RUNTIME } from './wire/runtime.ts'

const HEAD_TIMEOUT_MS_MIN = 500
const HEAD_TIMEOUT_MS_MAX = 10_000

type Base = Omit<Parts, 'feed'>

const FEED_PATH = '/oauth/revocation-feed'

const makeFeed = ({ settings, runtime, keySet, signal, report }: Base, changed: () => void): Feed => {
  const { issuer, apiKey, fetch, maxStalenessMs } = settings
  const url = issuer + FEED_PATH
  // An answer that comes later confirms nothing that is of use.
  const headTimeoutMs = Math.min(HEAD_TIMEOUT_MS_MAX, Math.max(HEAD_TIMEOUT_MS_MIN, maxStalenessMs))
  const wire = { apiKey, fetch, runtime }
  return {
    ...wire,
    requests: makeFeedRequests({ ...wire, url, issuer, headTimeoutMs, keySet }),
    staleness: makeStaleness(runtime),
    maxStalenessMs,
    bounds: undefined,
    report,
    changed,
    distrustKeys: () => {
      keySet.distrust()
      void keySet.load()
    },
    signal,
    facts: undefined,
    following: new AbortController(),
    transport: 'none',
    progress: 0,
  }
}

const makeBase = (settings: Settings, runtime: Runtime, signal: AbortSignal, report: Base['report']): Base => {
  const { issuer, apiKey, fetch, keyAgeMsMax, maxStalenessMs } = settings
  const wire = { fetch, runtime, signal, report }
  const bounds = { proofsMax: PROOFS_REMEMBERED_MAX, ofOneClientMax: PROOFS_OF_ONE_CLIENT_MAX }
  return {
    settings,
    runtime,
    signal,
    report,
    readToken: makeReader('at+jwt', COMPACT_CHARACTERS_MAX),
    keySet: makeKeySet({ ...wire, url: `${issuer}/.well-known/jwks.json`, ageMsMax: keyAgeMsMax }),
    introspection: makeIntrospection({
      ...wire,
      url: `${issuer}/oauth/introspect/v2`,
      apiKey,
      ageMsMax: maxStalenessMs,
    }),
    tokenCache: makeTokenCache<CachedToken>({ tokensMax: CACHED_TOKENS_MAX, bytesMax: CACHED_BYTES_MAX }),
    digests: makeDigests(),
    proofs: settings.proofs ?? makeProofMemory(bounds),
    doubts: { underWay: 0 },
  }
}

const statusOf = ({ settings, keySet, feed, tokenCache }: Parts, journal: Journal): Status => {
  const staleMs = feed?.staleness.ms() ?? Infinity
  const place = feed?.facts && placeOf(feed.facts)
  return {
    name: settings.name,
    mode: settings.mode,
    epoch: place?.epoch,
    position: place?.position,
    stalenessMs: Number.isFinite(staleMs) ? staleMs : undefined,
    isFresh: place !== undefined && staleMs <= settings.maxStalenessMs,
    transport: feed?.transport ?? 'none',
    keysAgeMs: keySet.ageMs(),
    facts: feed?.facts?.sizes(),
    cachedTokens: tokenCache.size(),
    failures: journal.failures(),
    lastFailure: journal.last(),
  }
}

const ALGS = PROOF_ALGORITHMS.join(' ')

const isBoundToKey = ({ refusal: code }: Refusal, asked: Asked): boolean =>
  asked.dpop !== undefined || code === 'wrong_scheme'

/** Makes the reports of a verifier that has a name and follows the feed. */
const reportsOf = ({ settings: { issuer, name } }: Base, feed: Feed | undefined): Reports | undefined =>
  feed === undefined || name === undefined ? undefined : makeReports(feed, `${issuer}${FEED_PATH}/positions`, name)

const NOTHING: Asked = Object.freeze({})
const NO_SCOPES: readonly string[] = []

/** Decides on a token. Never rejects. */
type Decide = (token: string | undefined, asked: Asked) => Promise<Verified | Refused>

/** Makes what verifies, adds what to send, and calls the hooks. */
const makeDecide = (parts: Parts, journal: Journal, start: () => void, reports: Reports | undefined) => {
  const { resourceMetadata, hooks } = parts.settings

  const respond = (
    { refusal: code, reason }: Refusal,
    scheme: 'Bearer' | 'DPoP',
    scopes: readonly string[],
  ): Refused => {
    const refused = refuse(code, reason, { resourceMetadata, scopes, scheme, proofAlgorithms: ALGS })
    journal.notify(hooks.refused, () => refused)
    return refused
  }

  const faultOf = (fault: unknown): Refusal => {
    const reason = `A fault of the verifier: ${describeFault(fault)}`
    journal.report(reason)
    return refusal('fault', reason)
  }

  const decide: Decide = async (token, asked) => {
    let decided: Verified | Refusal
    try {
      start()
      const verified = verifyToken(parts, token, asked)
      // By its form: the Promise of the program may be another one than that of async functions.
      decided = 'then' in verified ? await verified : verified
    } catch (fault) {
      decided = faultOf(fault)
    }
    if (isRefusal(decided))
      return respond(decided, isBoundToKey(decided, asked) ? 'DPoP' : 'Bearer', asked.scopes ?? NO_SCOPES)
    const accepted = decided
    reports?.count(accepted.claims.act?.sub ?? accepted.claims.sub)
    journal.notify(hooks.verified, () => accepted)
    return accepted
  }

  /** A request that cannot be decided on is a mistake of the program, which nobody else sees. */
  const refuseMisuse = (misuse: Refusal): Refused => {
    journal.report(misuse.reason)
    return respond(misuse, 'Bearer', NO_SCOPES)
  }

  const refuseHeader = (scopes: readonly string[]): Refused =>
    respond(refusal('invalid_request', 'The header Authorization does not hold one token.'), 'Bearer', scopes)

  return { decide, refuseMisuse, refuseHeader }
}

const makeVerify =
  ({ decide, refuseMisuse }: ReturnType<typeof makeDecide>): Verifier['verify'] =>
  (token, ...asked) => {
    // What is there and undefined is a misspelled name, and asks for nothing by mistake.
    const taken = asked.length === 0 ? NOTHING : takeAsked(asked)
    // No promise of a promise, which takes three more turns of the queue.
    return isRefusal(taken) ? Promise.resolve(refuseMisuse(taken)) : decide(token, taken)
  }

const makeAuthorize =
  ({ decide, refuseMisuse, refuseHeader }: ReturnType<typeof makeDecide>): Verifier['authorize'] =>
  (...request) => {
    const taken = takeRequest(request)
    if (isRefusal(taken)) return Promise.resolve(refuseMisuse(taken))
    const { method, url, proof, certificate, scopes = NO_SCOPES } = taken
    const authorization = parseAuthorization(taken.authorization)
    if (authorization === 'malformed') return Promise.resolve(refuseHeader(scopes))
    const asked = { scopes, certificate }
    if (authorization === 'none') return decide(undefined, asked)
    const { scheme, token } = authorization
    return decide(token, scheme === 'DPoP' ? { ...asked, dpop: { method, url, proof } } : asked)
  }

const READY_MS = 10_000
/** A timer for longer would end at once. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** Like {@link createVerifier}, with clocks and timers of its own. */
export const makeVerifier = (options: VerifierOptions, runtime: Runtime): Verifier => {
  const settings = parseOptions(options)
  const whole = new AbortController()
  const journal = makeJournal(settings.hooks, runtime)
  const base = makeBase(settings, runtime, whole.signal, journal.report)
  const waiting = new Set<() => void>()
  const changed = (): void => {
    if (status().isFresh) for (const arrive of waiting) arrive()
    reports?.note()
    journal.notify(settings.hooks.changed, status)
  }
  const feed = settings.mode === 'feed' ? makeFeed(base, changed) : undefined
  const parts: Parts = { ...base, feed }
  const reports = reportsOf(base, feed)
  const status = (): Status => statusOf(parts, journal)
  let started = false
  // Not at once: in a worker nothing may be requested before the first request comes.
  const start = (): void => {
    if (started || feed === undefined || whole.signal.aborted) return
    started = true
    startFollower(feed)
    reports?.start()
  }
  const decide = makeDecide(parts, journal, start, reports)
  return {
    verify: makeVerify(decide),
    authorize: makeAuthorize(decide),
    ready: async timeoutMs => {
      const kinds = { timeoutMs: isNumberOf('ms', 0, TIMER_MS_MAX) }
      const asked = takeMembers<{ readonly timeoutMs?: number }>('ready', { timeoutMs }, kinds)
      start()
      if (settings.mode === 'offline' && parts.keySet.isTooOld()) await parts.keySet.load()
      // Where no token comes nothing else reads them again.
      if (settings.mode !== 'introspect') parts.keySet.refresh()
      if (feed === undefined || status().isFresh) return status()
      const arrival = new AbortController()
      const arrive = (): void => arrival.abort()
      waiting.add(arrive)
      await pause(runtime, asked.timeoutMs ?? READY_MS, AbortSignal.any([arrival.signal, whole.signal]))
      waiting.delete(arrive)
      return status()
    },
    status,
    resource: {
      audience: settings.audiences[0] ?? '',
      issuer: settings.issuer,
      metadataAddress: settings.resourceMetadata,
    },
    close: () => whole.abort(),
  }
}

/**
 * A verifier of Mintmark's access tokens (RFC 9068). Throws `TypeError` where an option is not as it should be. In mode
 * `feed` it works in the background from the first token, or from `ready()`, until `close()`.
 */
export const createVerifier = (...options: readonly [options: VerifierOptions]): Verifier =>
  makeVerifier(onlyOne('createVerifier', options), WEB_RUNTIME)
