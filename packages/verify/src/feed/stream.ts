// The stream of the feed: documents as they come, and heartbeats that show that it is alive.
import { startDeadline } from '../wire/deadline.ts'
import { chunksOf, discard, send } from '../wire/exchange.ts'
import { failureOf, type Fetch } from '../wire/http.ts'
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

type Received = (event: StreamEvent) => Promise<void>

const readAll = async (response: Response, signal: AbortSignal, received: Received): Promise<void> => {
  const events: StreamEvent[] = []
  const read = makeEventReader(DOCUMENT_CHARACTERS_MAX, event => {
    const known = readEvent(event)
    if (known !== undefined) events.push(known)
  })
  const utf8 = new TextDecoder()
  for await (const chunk of chunksOf(response, signal)) {
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
  const quiet = (): Error => new QuietStream(`No event came for ${STREAM_QUIET_MS_MAX} ms.`)
  const watch = startDeadline(runtime.after, STREAM_QUIET_MS_MAX, signal, quiet)
  try {
    const headers = { 'x-api-key': apiKey, accept: 'text/event-stream' }
    const response = await send(fetch, url, { headers }, watch.signal)
    if (response.status !== 200) {
      discard(response)
      throw failureOf(response, runtime)
    }
    await readAll(response, watch.signal, async event => {
      watch.restart()
      await received(event)
    })
  } catch (fault) {
    throw asStartOver(watch.signal.aborted ? watch.signal.reason : fault)
  } finally {
    watch.end()
  }
}
