// The stream of the feed: documents as they come, and heartbeats that show that it is alive.
import { chunksOf } from '../wire/chunks.ts'
import { type Fetch, RequestFailure } from '../wire/http.ts'
import type { Runtime } from '../wire/runtime.ts'
import type { Head } from './document.ts'
import { makeEventReader, type ServerEvent } from './event-stream.ts'
import { asStartOver, DOCUMENT_CHARACTERS_MAX, parseHead, StartOver } from './requests.ts'

export type StreamEvent =
  /** The document is not yet verified. */
  { readonly kind: 'document'; readonly text: string } | { readonly kind: 'heartbeat'; readonly head: Head }

/** Nothing came for so long that something on the way must keep it: a service that is alive writes each second. */
export class QuietStream extends Error {
  override readonly name = 'QuietStream'
}

export const STREAM_QUIET_MS_MAX = 3500

const readEvent = ({ event, data }: ServerEvent): StreamEvent | undefined => {
  if (event === 'epoch_changed') throw new StartOver('The stream says so.')
  if (event === 'changes') return { kind: 'document', text: data }
  return event === 'heartbeat' ? { kind: 'heartbeat', head: parseHead(data) } : undefined
}

/** A signal that ends with the given one, or where {@link renew} is not called for so long. */
const makeWatch = (runtime: Runtime, signal: AbortSignal) => {
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal.reason)
  signal.addEventListener('abort', abort)
  let cancel: (() => void) | undefined
  const renew = (): void => {
    cancel?.()
    const quiet = (): void => controller.abort(new QuietStream(`No event came for ${STREAM_QUIET_MS_MAX} ms.`))
    cancel = runtime.after(STREAM_QUIET_MS_MAX, quiet)
  }
  const end = (): void => {
    cancel?.()
    signal.removeEventListener('abort', abort)
    // Whatever ended it, its connection is not left open.
    controller.abort()
  }
  if (signal.aborted) abort()
  renew()
  return { signal: controller.signal, renew, end }
}

type Received = (event: StreamEvent) => Promise<void>

const readAll = async (response: Response, received: Received): Promise<void> => {
  const events: StreamEvent[] = []
  const read = makeEventReader(DOCUMENT_CHARACTERS_MAX, event => {
    const known = readEvent(event)
    if (known !== undefined) events.push(known)
  })
  const utf8 = new TextDecoder()
  for await (const chunk of chunksOf(response)) {
    read(utf8.decode(chunk, { stream: true }))
    // One by one: each stands on the position that the one before it left.
    for (const event of events.splice(0)) await received(event)
  }
}

export type StreamRequest = { readonly url: string; readonly apiKey: string; readonly signal: AbortSignal }

/** Reads until the stream ends. Throws {@link QuietStream}, {@link StartOver}, what `received` throws, and faults of the wire. */
export const readStream = async (
  { fetch, runtime }: { readonly fetch: Fetch; readonly runtime: Runtime },
  { url, apiKey, signal }: StreamRequest,
  received: Received,
): Promise<void> => {
  const watch = makeWatch(runtime, signal)
  const headers = { 'x-api-key': apiKey, accept: 'text/event-stream' }
  try {
    const response = await fetch(url, { headers, redirect: 'manual', signal: watch.signal })
    if (response.status !== 200) {
      throw new RequestFailure(`The service responded ${response.status} to the stream.`, response.status)
    }
    await readAll(response, async event => {
      watch.renew()
      await received(event)
    })
  } catch (fault) {
    throw asStartOver(watch.signal.aborted ? watch.signal.reason : fault)
  } finally {
    watch.end()
  }
}
