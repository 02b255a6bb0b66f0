// Requests to the service: each with a deadline, none follows a redirect, and no answer is read beyond a limit.
import { chunksOf } from './chunks.ts'
import type { Runtime } from './runtime.ts'

/** What is needed of `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

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

export type Request = {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The deadline of the last byte of the response. */
  readonly timeoutMs: number
  readonly bytesMax: number
  /** The status of an answer to be used; 200 unless given. */
  readonly success?: 200 | 204
  /** Ends the request early. */
  readonly signal?: AbortSignal | undefined
}

export type Answer = { readonly bytes: Uint8Array; readonly headers: Headers }

const RETRY_AFTER_SECONDS_MAX = 30

const retryAfterMsOf = (response: Response): number | undefined => {
  const value = response.headers.get('retry-after') ?? ''
  return /^\d{1,9}$/.test(value) ? Math.min(Number(value), RETRY_AFTER_SECONDS_MAX) * 1000 : undefined
}

/** The name of a fault without what it may carry. */
export const describeFault = (fault: unknown): string => {
  if (fault instanceof RequestFailure) return fault.message
  return fault instanceof Error ? `${fault.name}: ${fault.message}`.slice(0, 200) : 'An unknown fault.'
}

const join = (chunks: readonly Uint8Array[], size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}

/** The body, however it is cut into chunks. Throws beyond the limit, before more of it is read. */
const readBody = async (response: Response, bytesMax: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunksOf(response)) {
    size += chunk.length
    if (size > bytesMax) throw new RequestFailure(`The answer has more than ${bytesMax} bytes.`, response.status)
    chunks.push(chunk)
  }
  return join(chunks, size)
}

/** Discards what is left of an answer, so that its connection is free. What fails here has failed already. */
const discard = async (response: Response): Promise<void> => {
  try {
    await response.body?.cancel()
  } catch {
    return
  }
}

/** Throws unless the answer has this status. */
const requireStatus = async (response: Response, success: number): Promise<void> => {
  if (response.status === success) return
  const retryAfterMs = retryAfterMsOf(response)
  await discard(response)
  throw new RequestFailure(`The service responded ${response.status}.`, response.status, retryAfterMs)
}

/** A signal that ends with the given one, or when the time is up. */
export const makeDeadline = (runtime: Runtime, timeoutMs: number, signal?: AbortSignal) => {
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  const cancel = runtime.after(timeoutMs, () =>
    controller.abort(new RequestFailure(`No answer came within ${Math.round(timeoutMs)} ms.`)),
  )
  return {
    signal: controller.signal,
    clear: (): void => {
      cancel()
      signal?.removeEventListener('abort', abort)
    },
  }
}

const asFailure = (fault: unknown): RequestFailure =>
  fault instanceof RequestFailure ? fault : new RequestFailure(`The request failed: ${describeFault(fault)}`)

/** The answer, if it is a success and was read whole in time. Throws {@link RequestFailure} for everything else. */
export const request = async (
  { fetch, runtime }: { readonly fetch: Fetch; readonly runtime: Runtime },
  { url, method = 'GET', headers = {}, body, timeoutMs, bytesMax, success = 200, signal }: Request,
): Promise<Answer> => {
  const deadline = makeDeadline(runtime, timeoutMs, signal)
  try {
    // Not `error`: workerd has no such mode. Without following, a redirect is an answer other than 200.
    const init: RequestInit = { method, headers: { ...headers }, redirect: 'manual', signal: deadline.signal }
    const response = await fetch(url, body === undefined ? init : { ...init, body })
    await requireStatus(response, success)
    return { bytes: await readBody(response, bytesMax), headers: response.headers }
  } catch (fault) {
    throw asFailure(deadline.signal.aborted ? deadline.signal.reason : fault)
  } finally {
    deadline.clear()
  }
}
