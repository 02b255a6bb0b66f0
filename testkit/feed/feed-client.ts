// Asks for the revocation feed as a follower does: signed documents, and the events of a stream.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { type Answer, get } from '../callers/requests.ts'
import type { TestServer } from '../services/test-server.ts'
import { FROM_START } from './feed-in-memory.ts'

export const FEED = '/oauth/revocation-feed'
export const DOCUMENT_TYPE = 'application/revocations+jwt'

export type Head = { readonly epoch: string; readonly position: number; readonly now: number }

/** The payload of a document of changes, or of a segment. */
export type ChangesPayload = {
  readonly iss: string
  readonly epoch: string
  readonly now: number
  readonly from: number
  readonly to: number
  readonly ended: Readonly<Record<string, string>>
  readonly cut_offs: readonly Readonly<Record<string, unknown>>[]
}

export type SnapshotPayload = {
  readonly iss: string
  readonly epoch: string
  readonly now: number
  readonly position: number
  readonly segments: readonly (readonly [from: number, to: number])[]
}

export const ask = (service: TestServer, key: string, path = ''): Promise<Answer> =>
  get(service, FEED + path, { 'x-api-key': key })

export const readHead = async (service: TestServer, key: string): Promise<Head> =>
  (await ask(service, key)).json as Head

/** The payload, unverified. */
export const payloadOf = (jws: string): ChangesPayload =>
  JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as ChangesPayload

/** The payload of a document that the service signed now; fails where it is none. */
export const verifyDocument = async <Payload = ChangesPayload>(service: TestServer, jws: string): Promise<Payload> => {
  const keySet = (await get(service, '/.well-known/jwks.json')).json as JSONWebKeySet
  const options = { typ: 'revocations+jwt', issuer: service.baseUrl }
  const { payload, protectedHeader } = await jwtVerify(jws, createLocalJWKSet(keySet), options)
  assert.deepEqual(Object.keys(protectedHeader).toSorted(), ['alg', 'kid', 'typ'])
  return payload as Payload
}

export const readDocument = async <Payload = ChangesPayload>(
  service: TestServer,
  key: string,
  path: string,
): Promise<Payload> => {
  const answer = await ask(service, key, path)
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, DOCUMENT_TYPE], answer.text)
  return verifyDocument<Payload>(service, answer.text)
}

/** The tails of a document's tokens, each under its `exp`, in hex. */
export const tailsIn = ({ ended }: Pick<ChangesPayload, 'ended'>): readonly string[] =>
  Object.values(ended).flatMap(text => Buffer.from(text, 'base64url').toString('hex').match(/.{16}/g) ?? [])

/** Returns the tail of a token's id in the form of {@link tailsIn}. */
export const tailOf = (jti: unknown): string => String(jti).replaceAll('-', '').slice(16)

export type FeedEvent = { readonly event: string; readonly data: string }

export type FeedStream = {
  readonly response: IncomingMessage
  readonly request: ClientRequest
  /** The next event, of this name if one is given; undefined once the stream has ended or broken off. */
  readonly next: (name?: string) => Promise<FeedEvent | undefined>
  /** Whether it ended in good order, once it has. */
  readonly ended: Promise<'ended' | 'broken'>
  readonly close: () => void
}

const parseEvent = (text: string): FeedEvent => {
  const [, event = '', data = ''] = /^event: (\w+)\ndata: ([^\n]*)$/.exec(text) ?? []
  assert.notEqual(event, '', `No event: ${text.slice(0, 200)}`)
  return { event, data }
}

/** Makes a queue in which readers wait for events. */
const makeEvents = () => {
  const waiting: FeedEvent[] = []
  let isOver = false
  let wake = (): void => undefined
  return {
    push: (event: FeedEvent): void => {
      waiting.push(event)
      wake()
    },
    end: (): void => {
      isOver = true
      wake()
    },
    next: async (name?: string): Promise<FeedEvent | undefined> => {
      for (;;) {
        const event = waiting.shift()
        if (event !== undefined && (name === undefined || event.event === name)) return event
        if (event !== undefined) continue
        if (isOver) return undefined
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        await promise
      }
    },
  }
}

/** A response whose events are read as they come. `port`: of a proxy in between. */
export const openStream = async (
  { baseUrl }: Pick<TestServer, 'baseUrl'>,
  key: string,
  { query = FROM_START, port }: { readonly query?: string; readonly port?: number } = {},
): Promise<FeedStream> => {
  const url = new URL(`${baseUrl}${FEED}/stream?${query}`)
  if (port !== undefined) url.port = String(port)
  const request = httpRequest(url, { headers: { 'x-api-key': key }, agent: false })
  request.on('error', () => undefined)
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const events = makeEvents()
  let rest = ''
  response.on('data', (bytes: Buffer) => {
    const parts = (rest + bytes.toString('latin1')).split('\n\n')
    rest = parts.pop() ?? ''
    if (response.statusCode === 200) for (const part of parts) events.push(parseEvent(part))
  })
  const ended = new Promise<'ended' | 'broken'>(resolve => {
    response.once('end', () => resolve('ended'))
    response.once('error', () => resolve('broken'))
    response.once('close', () => resolve('broken'))
  })
  void ended.then(events.end)
  return { response, request, next: events.next, ended, close: () => request.destroy() }
}

/** The next event of the name; fails where the stream ends before. */
export const nextOf = async ({ next }: FeedStream, name: string): Promise<string> => {
  const event = await next(name)
  if (event === undefined) assert.fail(`The stream has ended before the event ${name}.`)
  return event.data
}
