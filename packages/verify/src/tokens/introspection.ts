// Asks the service whether a token is active (RFC 7662): at every request anew, and never from a cache.
import type { Claims } from '../readers/claim-types.ts'
import { type JsonObject, parseObject } from '../readers/json.ts'
import { type Refusal, refusal } from '../refusals.ts'
import { describeFault, type Fetch, request, RequestFailure } from '../wire/http.ts'
import { elapsedMs, instantOf, type Runtime } from '../wire/runtime.ts'

const ANSWER_BYTES_MAX = 65_536
const REQUEST_MS_MAX = 5000

export type Introspection = {
  /** Why the token is refused; undefined where the service just said that it is active. `claims` are those of its text. */
  readonly check: (token: string, claims: Claims) => Promise<Refusal | undefined>
}

export type IntrospectionOptions = {
  readonly url: string
  readonly apiKey: string
  /** How old an answer may be, in milliseconds from the request on; never older than REQUEST_MS_MAX. */
  readonly ageMsMax: number
  readonly fetch: Fetch
  readonly runtime: Runtime
  readonly signal: AbortSignal
  readonly report: (problem: string) => void
}

/** Whether the answer is about this token: a cache or a proxy may have mixed up two. `jti` may be absent (RFC 7662 §2.2). */
const isAbout = (answer: JsonObject, { sub, exp, jti, scope = '' }: Claims): boolean =>
  answer['sub'] === sub &&
  answer['exp'] === exp &&
  (answer['scope'] ?? '') === scope &&
  (answer['jti'] === undefined || answer['jti'] === jti)

const judge = (answer: JsonObject | undefined, claims: Claims): Refusal | undefined => {
  if (answer?.['active'] === false) return refusal('inactive', 'The service says that the token is not active.')
  if (answer?.['active'] !== true)
    return refusal('introspection_unavailable', 'The answer is not one of introspection.')
  if (!isAbout(answer, claims)) return refusal('introspection_unavailable', 'The answer is about another token.')
  return undefined
}

export const makeIntrospection = (options: IntrospectionOptions): Introspection => ({
  check: async (token, claims) => {
    const { url, apiKey, signal, report, runtime } = options
    const timeoutMs = Math.min(REQUEST_MS_MAX, options.ageMsMax)
    const since = instantOf(runtime)
    try {
      const { bytes } = await request(options, {
        url,
        method: 'POST',
        headers: {
          'x-api-key': apiKey,
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
        },
        body: `token=${encodeURIComponent(token)}`,
        timeoutMs,
        bytesMax: ANSWER_BYTES_MAX,
        signal,
      })
      // Timers stand still while the machine is suspended: an answer from before says nothing of now.
      if (elapsedMs(runtime, since) > timeoutMs) throw new RequestFailure('The answer is too old.')
      return judge(parseObject(bytes), claims)
    } catch (fault) {
      const reason = `Introspection failed: ${describeFault(fault)}`
      report(reason)
      return refusal('introspection_unavailable', reason)
    }
  },
})
