// The requests of a follower (docs/apis/feed-protocol.md, "Requests"), and their answers, verified.
import { isRefusal } from '../refusals.ts'
import { type JsonObject, parseObject } from '../readers/json.ts'
import type { KeySet } from '../tokens/key-set.ts'
import { makeReader, signatureRefusal } from '../tokens/signatures.ts'
import { type Fetch, request, RequestFailure } from '../wire/http.ts'
import type { Runtime } from '../wire/runtime.ts'
import {
  type Changes,
  type Head,
  isUnreadable,
  type Range,
  readChanges,
  readHead,
  readSnapshot,
  type Snapshot,
  type Unreadable,
} from './document.ts'

/** The epoch or the position is not the feed's any more: everything is forgotten, and read again. */
export class StartOver extends Error {
  override readonly name = 'StartOver'
}

export type Place = { readonly epoch: string; readonly position: number }

/** A longer one is not read: the verifier becomes stale, and says so. */
export const DOCUMENT_CHARACTERS_MAX = 33_554_432
const HEAD_BYTES_MAX = 4096
const DOCUMENT_REQUEST_MS_MAX = 30_000
/** The deadline of a request for changes, without the time that the service waits. */
const CHANGES_REQUEST_MS_MAX = 10_000

export type FeedAccess = {
  /** The URL of the head. */
  readonly url: string
  readonly issuer: string
  readonly apiKey: string
  readonly headTimeoutMs: number
  readonly fetch: Fetch
  readonly runtime: Runtime
  readonly keySet: KeySet
}

export type FeedRequests = {
  readonly head: (signal: AbortSignal) => Promise<Head>
  readonly snapshot: (epoch: string, signal: AbortSignal) => Promise<Snapshot>
  readonly segment: (epoch: string, range: Range, signal: AbortSignal) => Promise<Changes>
  readonly changes: (place: Place, waitSeconds: number, signal: AbortSignal) => Promise<Changes>
  /** A document that a stream brought. */
  readonly readDocument: (text: string) => Promise<Changes>
  readonly streamUrl: (place: Place) => string
}

const readable = <T extends object>(value: T | Unreadable): T => {
  if (isUnreadable(value)) throw new RequestFailure(value.unreadable)
  return value
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Parses the head in a response or a heartbeat. Throws for anything else. */
export const parseHead = (text: string): Head => readable(readHead(parseObject(encoder.encode(text))))

const query = (members: Readonly<Record<string, string | number>>): string =>
  Object.entries(members)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')

/** A 409 says that the follower starts over. */
export const asStartOver = (fault: unknown): unknown =>
  fault instanceof RequestFailure && fault.status === 409 ? new StartOver('The service responded 409.') : fault

/** Returns the payload of a document. Throws where no key of the issuer signed it as one. */
const makeDocumentVerifier = ({ issuer, keySet }: FeedAccess): ((text: string) => Promise<JsonObject>) => {
  const readDocument = makeReader('revocations+jwt', DOCUMENT_CHARACTERS_MAX)
  return async text => {
    const read = readDocument(text)
    const refused = isRefusal(read) ? read : await signatureRefusal(keySet, read)
    if (refused !== undefined) throw new RequestFailure(`A document of the feed is refused: ${refused.reason}`)
    const { iss, ...payload } = isRefusal(read) ? {} : read.payload
    if (iss !== issuer) throw new RequestFailure('A document of the feed is refused: its iss is another.')
    return payload
  }
}

const makeGetter =
  ({ url, apiKey, fetch, runtime }: FeedAccess) =>
  async (path: string, bytesMax: number, timeoutMs: number, signal: AbortSignal): Promise<string> => {
    try {
      const headers = { 'x-api-key': apiKey }
      const answer = await request({ fetch, runtime }, { url: `${url}${path}`, headers, timeoutMs, bytesMax, signal })
      return decoder.decode(answer.bytes)
    } catch (fault) {
      throw asStartOver(fault)
    }
  }

export const makeFeedRequests = (access: FeedAccess): FeedRequests => {
  const get = makeGetter(access)
  const verify = makeDocumentVerifier(access)
  const getDocument = async (
    path: string,
    signal: AbortSignal,
    timeoutMs = DOCUMENT_REQUEST_MS_MAX,
  ): Promise<JsonObject> => verify(await get(path, DOCUMENT_CHARACTERS_MAX, timeoutMs, signal))
  return {
    head: async signal => parseHead(await get('', HEAD_BYTES_MAX, access.headTimeoutMs, signal)),
    snapshot: async (epoch, signal) =>
      readable(readSnapshot(await getDocument(`/snapshot?${query({ epoch })}`, signal))),
    segment: async (epoch, [from, to], signal) =>
      readable(readChanges(await getDocument(`/segments/${encodeURIComponent(epoch)}/${from}-${to}`, signal))),
    changes: async ({ epoch, position }, wait, signal) => {
      const path = `/changes?${query({ epoch, position, wait })}`
      return readable(readChanges(await getDocument(path, signal, wait * 1000 + CHANGES_REQUEST_MS_MAX)))
    },
    readDocument: async text => readable(readChanges(await verify(text))),
    streamUrl: ({ epoch, position }) => `${access.url}/stream?${query({ epoch, position })}`,
  }
}
