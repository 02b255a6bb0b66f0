// A small reference publisher: the service as a verifier sees it, made from docs/apis/feed-protocol.md alone. Real HTTP, real
// signatures, and faults on demand.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { makeProofKey, type ProofKey, signParts } from '../keys/dpop.ts'
import { makeLog, type PublishedCutOff, type Log } from './reference-log.ts'

export const AUDIENCE = 'https://api.example/v1'
export const API_KEY = 'mma_test'
export const AGENT = '0198d4c2-0000-7000-8000-000000000001'
export const CREDENTIAL = '0198d4c2-0000-7000-8000-000000000002'
const LIFETIME_SECONDS = 300

export type Members = Readonly<Record<string, unknown>>

/** Answers a request to the publisher, or leaves it to the publisher. A promise that never resolves is a service that hangs. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>

/** SHA-256 of a text, the first 8 bytes, as the feed writes digests. */
export const digestOf = (value: string): string =>
  createHash('sha256').update(value).digest().subarray(0, 8).toString('base64url')

/** An id made at this time, in ms. */
export const makeId = (ms: number): string => {
  const time = Math.floor(ms).toString(16).padStart(12, '0')
  const chance = randomBytes(10).toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${chance.slice(0, 3)}-a${chance.slice(3, 6)}-${chance.slice(6, 18)}`
}

export type Minted = {
  readonly token: string
  readonly claims: Members & { readonly jti: string; readonly exp: number }
}

export type Publisher = {
  readonly issuer: string
  readonly key: ProofKey
  readonly kid: string
  /** The `kid` in the header of documents of the feed. */
  documentKid: string
  readonly log: Log
  /** Paths of the requests so far, without their queries. */
  readonly requests: string[]
  /** The keys of the key set. */
  keys: Members[]
  /** What introspection says; by default every token of the publisher that the log has not ended is active. */
  introspect: (token: string) => unknown
  /** Asked before each request is answered. */
  fault: Fault | undefined
  /** The time of the service, in ms. */
  now: () => number
  readonly mint: (claims?: Members, header?: Members) => Minted
  /** A document of the feed, of any type and payload. */
  readonly sign: (payload: Members, header?: Members) => string
  readonly end: (minted: Minted) => void
  readonly cutOff: (cutOff: PublishedCutOff) => void
  readonly count: (path: string) => number
  readonly close: () => Promise<void>
}

const publicMembers = ({ jwk, alg }: ProofKey, kid: string): Members => ({ ...jwk, alg, kid, use: 'sig' })

const json = (response: ServerResponse, value: unknown): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

const claimsOf = (token: string): Members =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Members

const makeIntrospect =
  (log: Log) =>
  (token: string): unknown => {
    const { sub, scope, exp, jti, aud, client_id: clientId } = claimsOf(token)
    return log.hasEnded(String(jti))
      ? { active: false }
      : { active: true, sub, scope, exp, jti, aud, client_id: clientId }
  }

const respond = async (publisher: Publisher, request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
  const url = new URL(request.url ?? '/', publisher.issuer)
  publisher.requests.push(url.pathname)
  if (await publisher.fault?.(request, response)) return undefined
  if (url.pathname === '/.well-known/jwks.json') return json(response, { keys: publisher.keys })
  if (request.headers['x-api-key'] !== API_KEY) return response.writeHead(401).end('{"error":"invalid_client"}')
  if (url.pathname === '/oauth/introspect/v2') {
    const token = new URLSearchParams(await text(request)).get('token') ?? ''
    return json(response, publisher.introspect(token))
  }
  return publisher.log.respond(publisher, url, response)
}

const usualClaims = (issuer: string, ms: number): Members => ({
  iss: issuer,
  sub: AGENT,
  aud: AUDIENCE,
  client_id: AGENT,
  iat: Math.floor(ms / 1000),
  exp: Math.floor(ms / 1000) + LIFETIME_SECONDS,
  jti: makeId(ms),
  scope: 'db:read db:write',
  seq: 10,
  credential_id: CREDENTIAL,
})

/** `into` becomes the publisher: a test may hold it before it listens. */
export const startPublisher = async (alg = 'ES256', into: object = {}): Promise<Publisher> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const key = makeProofKey(alg)
  const kid = `key-${alg}`
  const log = makeLog()
  const members: Publisher = {
    issuer,
    key,
    kid,
    documentKid: kid,
    log,
    requests: [],
    keys: [publicMembers(key, kid)],
    introspect: makeIntrospect(log),
    fault: undefined,
    now: Date.now,
    mint: (changed = {}, header = {}) => {
      const claims = { ...usualClaims(issuer, publisher.now()), ...changed } as Minted['claims']
      return {
        claims,
        token: signParts(key, JSON.stringify({ alg, kid, typ: 'at+jwt', ...header }), JSON.stringify(claims)),
      }
    },
    sign: (payload, header = {}) =>
      signParts(
        key,
        JSON.stringify({ alg, kid: publisher.documentKid, typ: 'revocations+jwt', ...header }),
        JSON.stringify({ iss: issuer, ...payload }),
      ),
    end: ({ claims }) => log.end(publisher, claims),
    cutOff: cutOff => log.cutOff(publisher, cutOff),
    count: path => publisher.requests.filter(one => one === path).length,
    close: async () => {
      log.close()
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
  const publisher = Object.assign(into, members)
  server.on('request', (request, response) => void respond(publisher, request, response))
  return publisher
}
