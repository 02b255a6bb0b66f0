// Requests to the service that must succeed, each within its limits.
import { type Answer, exchange, type Exchange, ExchangeFault } from './exchange.ts'
import { retryAfterSecondsOf } from './retry-after.ts'
import type { Runtime } from './runtime.ts'

/** What is needed of `fetch`. */
export type Fetch = Exchange['fetch']

/** A request that gave no answer to be used; `status` is 0 where there was no answer at all. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure'
  readonly status: number
  /** The wait that the header `Retry-After` states, in ms; undefined where there was none. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, status = 0, retryAfterMs?: number) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

export type Request = Pick<Exchange, 'timeoutMs' | 'bytesMax' | 'signal'> & {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The status of an answer to be used; 200 unless given. */
  readonly success?: 200 | 204
}

/** A verifier that waits for longer is stale for longer than a service can want. */
const RETRY_AFTER_SECONDS_MAX = 30

/** The name of a fault without what it may carry. */
export const describeFault = (fault: unknown): string => {
  if (fault instanceof RequestFailure || fault instanceof ExchangeFault) return fault.message
  return fault instanceof Error ? `${fault.name}: ${fault.message}`.slice(0, 200) : 'An unknown fault.'
}

/** What a response without success means. */
export const failureOf = ({ status, headers }: Omit<Answer, 'bytes'>, { wallMs }: Runtime): RequestFailure => {
  const seconds = retryAfterSecondsOf(headers, wallMs(), RETRY_AFTER_SECONDS_MAX)
  return new RequestFailure(`The service responded ${status}.`, status, seconds && seconds * 1000)
}

/** How long to wait after a fault before the same is asked again, because the service says so; else 0. */
export const retryAfterMsOf = (fault: unknown): number =>
  (fault instanceof RequestFailure ? fault.retryAfterMs : undefined) ?? 0

/** The answer, if it is a success and was read whole in time. Throws {@link RequestFailure} for everything else. */
export const request = async (
  { fetch, runtime }: { readonly fetch: Fetch; readonly runtime: Runtime },
  { url, method = 'GET', headers = {}, body, success = 200, ...limits }: Request,
): Promise<Answer> => {
  const init: RequestInit = { method, headers: { ...headers }, ...(body !== undefined && { body }) }
  const isRead = (status: number): boolean => status === success
  let answer: Answer
  try {
    answer = await exchange(url, init, { ...limits, fetch, after: runtime.after, isRead })
  } catch (fault) {
    throw new RequestFailure(`The request failed: ${describeFault(fault)}`)
  }
  if (answer.status === success) return answer
  throw failureOf(answer, runtime)
}
