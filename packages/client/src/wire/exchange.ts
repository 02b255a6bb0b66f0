// One HTTP exchange with a service that may hang, lie or answer without end: bounded in time and in bytes.

/** The type of `fetch`, which a caller may replace to use a proxy, a client certificate or a test. */
export type Fetch = typeof globalThis.fetch

/** What went wrong where there was no whole answer. The message names no header and no body. */
export class ExchangeFault extends Error {
  override readonly name = 'ExchangeFault'
}

export type Exchange = {
  readonly fetch: Fetch
  /** The deadline of the whole response. */
  readonly timeoutMs: number
  readonly bytesMax: number
  readonly signal?: AbortSignal | undefined
}

export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string }

/**
 * A code such as ECONNREFUSED, else what kind of error it was. Its message is left out: a `fetch` of the caller may have
 * written into it whatever it was given, a credential too.
 */
export const causeOf = (fault: unknown): string => {
  const cause = fault instanceof Error && fault.cause instanceof Error ? fault.cause : fault
  if (!(cause instanceof Error)) return 'unknown fault'
  const code = 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && /^[A-Za-z0-9_]{1,64}$/.test(code) ? code : 'network fault'
}

/** Ends with the signal, although the work may not listen to it. */
export const untilAborted = async <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (signal === undefined) return work
  if (signal.aborted) {
    work.catch(() => undefined)
    throw signal.reason
  }
  const aborted = Promise.withResolvers<never>()
  const stop = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

export type Deadline = {
  /** Aborted with the caller's signal, or with an ExchangeFault when the time is over. */
  readonly signal: AbortSignal
  /** Stops the time, while somebody else is at work. */
  readonly pause: () => void
  /** Begins the time anew. */
  readonly restart: () => void
  /** Lets go of the timer and of the caller's signal, which may live for long. */
  readonly end: () => void
}

/** A limit of time, for code that does not listen to the signal too: see `untilAborted`. */
export const startDeadline = (ms: number, caller: AbortSignal | undefined, what: string): Deadline => {
  const controller = new AbortController()
  const giveUp = (): void => controller.abort(new ExchangeFault(`${what} within ${ms} ms`))
  const passOn = (): void => controller.abort(caller?.reason)
  let timer = setTimeout(giveUp, ms)
  caller?.addEventListener('abort', passOn, { once: true })
  if (caller?.aborted === true) passOn()
  return {
    signal: controller.signal,
    pause: () => clearTimeout(timer),
    restart: () => {
      clearTimeout(timer)
      timer = setTimeout(giveUp, ms)
    },
    end: () => {
      clearTimeout(timer)
      caller?.removeEventListener('abort', passOn)
    },
  }
}

/** Gives an answer up; what is left of it is of no interest, and neither is why it cannot be read. */
export const discard = (response: Response): void => void response.body?.cancel().catch(() => undefined)

/** The types of Node leave open what a body is made of. */
export const readerOf = ({ body }: Response): ReadableStreamDefaultReader<Uint8Array> | undefined =>
  (body as ReadableStream<Uint8Array> | null)?.getReader()

/** The text of an answer, of at most so many bytes after decompression. */
const readText = async (response: Response, bytesMax: number, signal: AbortSignal): Promise<string> => {
  const reader = readerOf(response)
  if (reader === undefined) return ''
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  try {
    for (;;) {
      const { done, value } = await untilAborted(reader.read(), signal)
      if (done) return text + decoder.decode()
      bytes += value.byteLength
      if (bytes > bytesMax) throw new ExchangeFault(`the answer has more than ${bytesMax} bytes`)
      text += decoder.decode(value, { stream: true })
    }
  } catch (fault) {
    void reader.cancel().catch(() => undefined)
    throw fault
  }
}

/** Returns the fault as an ExchangeFault, unless the caller aborted: then the reason of its signal. */
export const faultOf = (fault: unknown, { signal }: Pick<Deadline, 'signal'>): unknown => {
  // A fetch that was aborted may say so in words of its own.
  if (signal.aborted) return signal.reason
  return fault instanceof ExchangeFault ? fault : new ExchangeFault(causeOf(fault))
}

export const exchange = async (url: string, init: RequestInit, options: Exchange): Promise<Answer> => {
  const deadline = startDeadline(options.timeoutMs, options.signal, 'no whole answer')
  const { signal } = deadline
  try {
    // A credential must not go where an answer points to.
    const sent = options.fetch(url, { ...init, redirect: 'manual', signal })
    const response = await untilAborted(sent, signal)
    const text = await readText(response, options.bytesMax, signal)
    return { status: response.status, headers: response.headers, text }
  } catch (fault) {
    throw faultOf(fault, deadline)
  } finally {
    deadline.end()
  }
}

/** An object of JSON; undefined for anything else. */
export const parseObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return value as Readonly<Record<string, unknown>>
  } catch {
    return undefined
  }
}

const RETRY_AFTER_SECONDS_MAX = 300

/** `Retry-After` in seconds, or as a date (RFC 9110 §10.2.3): at least 1, at most 300; undefined where there is none. */
export const retryAfterOf = (headers: Headers, wallMs: number): number | undefined => {
  const text = headers.get('retry-after')?.trim()
  if (text === undefined || text === '') return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - wallMs) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 1), RETRY_AFTER_SECONDS_MAX)
}
