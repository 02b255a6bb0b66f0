// One HTTP exchange with a service that may hang, lie or answer without end: bounded in time and in bytes, it always settles.
// On the web platform alone: it runs in workers, and @mintmark/client is published with a copy of it.
import { startDeadline, untilAborted } from './deadline.ts'
import { type Runtime, WEB_RUNTIME } from './runtime.ts'

/** What went wrong where there was no whole answer. The message names no header and no body. */
export class ExchangeFault extends Error {
  override readonly name = 'ExchangeFault'
}

export type Exchange = {
  /** It may ignore its signal, throw, or return something else than it should. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** The deadline of the last byte of the response. */
  readonly timeoutMs: number
  readonly bytesMax: number
  /** Ends the exchange early. */
  readonly signal?: AbortSignal | undefined
  /** The timer of the deadline, that of the platform unless given. */
  readonly after?: Runtime['after']
  /** Whether an answer with this status has a body of interest; that of another is discarded. All have unless given. */
  readonly isRead?: (status: number) => boolean
}

export type Answer = { readonly status: number; readonly headers: Headers; readonly bytes: Uint8Array }

/**
 * A code such as ECONNREFUSED, else what kind of error it was. Its message is left out: a `fetch` of the caller may have
 * written into it whatever it was given, a credential too.
 */
const causeOf = (fault: unknown): string => {
  const cause = fault instanceof Error && fault.cause instanceof Error ? fault.cause : fault
  if (!(cause instanceof Error)) return 'unknown fault'
  const code = 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && /^[A-Za-z0-9_]{1,64}$/.test(code) ? code : 'network fault'
}

/** Throws the reason of the signal where that ended the work, and an ExchangeFault for everything else. */
const onWire = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  try {
    return await untilAborted(work, signal)
  } catch (fault) {
    // A fetch that was aborted may say so in words of its own.
    signal.throwIfAborted()
    throw fault instanceof ExchangeFault ? fault : new ExchangeFault(causeOf(fault))
  }
}

const cancel = async (body: Pick<ReadableStream, 'cancel'>): Promise<void> => {
  try {
    await body.cancel()
  } catch {
    // It failed already.
  }
}

/** Gives an answer up, so that its connection is free; what is left of it is of no interest. */
export const discard = ({ body }: Response): void => {
  if (body !== null) void cancel(body)
}

const hasMethod = (given: unknown, name: string): boolean =>
  typeof given === 'object' &&
  given !== null &&
  name in given &&
  typeof given[name as keyof typeof given] === 'function'

/** As far as it is used: a `fetch` of the caller may return anything. */
const isResponse = (given: Partial<Response> | undefined): given is Response =>
  typeof given?.status === 'number' &&
  hasMethod(given.headers, 'get') &&
  (given.body === null || hasMethod(given.body, 'getReader'))

/** Sends a request, and returns the response before its body. Redirects are not followed. */
export const send = (
  fetch: Exchange['fetch'],
  url: string,
  init: RequestInit,
  signal: AbortSignal,
): Promise<Response> =>
  onWire(async () => {
    // A credential must not go where an answer points to. Not `error`: workerd has no such mode.
    const response: Partial<Response> | undefined = await fetch(url, { ...init, redirect: 'manual', signal })
    if (!isResponse(response)) throw new ExchangeFault('fetch returned something else than a Response')
    if (signal.aborted) discard(response)
    return response
  }, signal)

/** A stream of the caller's may return something else, which has no length to count. */
const bytesOf = (chunk: unknown): Uint8Array => {
  if (!ArrayBuffer.isView(chunk)) throw new ExchangeFault('the body is not of bytes')
  return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}

/** The bytes of a body as they come, on runtimes whose streams cannot be iterated too. What is left is discarded. */
export async function* chunksOf({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (body === null) return
  // The types of Node leave open what a body is made of.
  const reader = await onWire(async () => (body as ReadableStream<unknown>).getReader(), signal)
  let isWhole = false
  const read = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await reader.read()
    isWhole = done
    return done ? undefined : bytesOf(value)
  }
  try {
    for (;;) {
      const chunk = await onWire(read, signal)
      if (chunk === undefined) return
      yield chunk
    }
  } finally {
    if (!isWhole) void cancel(reader)
  }
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

/** The body, however it is cut into chunks, after decompression. Throws beyond the limit, before more of it is read. */
export const readBody = async (response: Response, bytesMax: number, signal: AbortSignal): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunksOf(response, signal)) {
    size += chunk.length
    chunks.push(chunk)
    // A chunk counts as a byte at least: a body of empty ones could go on without giving the deadline a turn.
    if (Math.max(size, chunks.length) > bytesMax) throw new ExchangeFault(`the answer has more than ${bytesMax} bytes`)
  }
  return join(chunks, size)
}

/** Throws an ExchangeFault where there is no whole answer, or the reason of the given signal. */
export const exchange = async (url: string, init: RequestInit, options: Exchange): Promise<Answer> => {
  const { fetch, timeoutMs, bytesMax, after = WEB_RUNTIME.after, isRead = () => true } = options
  const late = (): Error => new ExchangeFault(`no whole answer within ${Math.round(timeoutMs)} ms`)
  const deadline = startDeadline(after, timeoutMs, options.signal, late)
  try {
    const response = await send(fetch, url, init, deadline.signal)
    const { status, headers } = response
    if (isRead(status)) return { status, headers, bytes: await readBody(response, bytesMax, deadline.signal) }
    discard(response)
    return { status, headers, bytes: new Uint8Array() }
  } finally {
    deadline.end()
  }
}
