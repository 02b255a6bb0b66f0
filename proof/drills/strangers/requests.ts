// Requests as strangers send them, as bytes on the wire: without a credential that is right, or with bytes that a store
// cannot hold.
import { randomBytes, randomUUID } from 'node:crypto'
import { makeSecrets } from '../../../server/src/keys/clients/secrets.ts'

type Parts = { readonly headers?: readonly string[]; readonly body?: string | Uint8Array }

const FORM = 'Content-Type: application/x-www-form-urlencoded'
const JSON_TYPE = 'Content-Type: application/json'
const HEAD_END = '\r\n\r\n'

/** A whole request. Its head is written one byte a character, so that a header can hold any byte. */
export const requestOf = (target: string, { headers = [], body }: Parts = {}): Buffer => {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : Buffer.from(body ?? [])
  const length = body === undefined ? [] : [`Content-Length: ${bytes.length}`]
  const head = [`${target} HTTP/1.1`, 'Host: 127.0.0.1', ...length, ...headers].join('\r\n')
  return Buffer.concat([Buffer.from(head + HEAD_END, 'latin1'), bytes])
}

export const formRequest = (path: string, body: string | Uint8Array, headers: readonly string[] = []): Buffer =>
  requestOf(`POST ${path}`, { headers: [FORM, ...headers], body })

export const jsonRequest = (path: string, jwt: string, body: string | Uint8Array): Buffer =>
  requestOf(`POST ${path}`, { headers: [JSON_TYPE, bearer(jwt)], body })

export const bearer = (jwt: string): string => `Authorization: Bearer ${jwt}`
export const apiKey = (key: string): string => `X-API-Key: ${key}`
export const basic = (id: string, secret: string): string =>
  `Authorization: Basic ${Buffer.from(`${id}:${secret}`, 'utf8').toString('base64')}`

const secrets = makeSecrets({ bytes: randomBytes })

/** Well-formed, so that only the store can know that nobody has them. */
export const wrongApiKey = (): string => secrets.makeApiKey()
export const wrongSecret = (): string => secrets.makeClientSecret()

export const tokenRequest = (clientId: string, secret: string): Buffer =>
  formRequest(
    '/oauth/token',
    new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: secret,
      scope: 'db:read',
    }).toString(),
  )

export const introspection = (key: string, token: string): Buffer =>
  formRequest('/oauth/introspect/v2', new URLSearchParams({ token }).toString(), [apiKey(key)])

/** Returns a token with the same header, an unknown id, and a random signature. */
export const forgedToken = (genuine: string): string => {
  const [header = '', payload = ''] = genuine.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
    readonly jti?: string
  }
  const { jti: id = randomUUID() } = claims
  // The first part of a UUIDv7 is its time, which a forger knows.
  const jti = `${id.slice(0, 19)}${randomUUID().slice(19)}`
  const forged = Buffer.from(JSON.stringify({ ...claims, jti })).toString('base64url')
  return `${header}.${forged}.${randomBytes(64).toString('base64url')}`
}

export type Genuine = { readonly clientId: string; readonly operatorJwt: string; readonly token: string }

/** One request of each kind of caller with a wrong credential, and what anybody may ask for. */
export const strangerRequests = ({ clientId, operatorJwt, token }: Genuine): readonly (() => Buffer)[] => [
  () => tokenRequest(clientId, wrongSecret()),
  () => tokenRequest(randomUUID(), wrongSecret()),
  () => introspection(wrongApiKey(), forgedToken(token)),
  () => formRequest('/oauth/revoke', `token=${forgedToken(token)}`, [bearer(forgedToken(operatorJwt))]),
  () => formRequest('/oauth/revoke', `token=${forgedToken(token)}`, [basic(clientId, wrongSecret())]),
  () => requestOf('GET /api/v1/tokens', { headers: [apiKey(wrongApiKey())] }),
  () => jsonRequest('/api/v1/revocations', forgedToken(operatorJwt), JSON.stringify({ id: randomUUID(), all: true })),
  () => requestOf('GET /openapi.json'),
  () => requestOf('GET /nowhere'),
]

export type Place = 'nothing' | 'request line' | 'headers' | 'body' | 'whole'

/** Returns where the parts of a request begin and end, in bytes. */
const boundsOf = (request: Buffer, place: Place): readonly [least: number, most: number] => {
  const lineEnd = request.indexOf('\r\n')
  const bodyStart = request.indexOf(HEAD_END) + HEAD_END.length
  switch (place) {
    case 'nothing':
      return [0, 0]
    case 'request line':
      return [1, lineEnd - 1]
    case 'headers':
      return [lineEnd + 2, bodyStart - 1]
    case 'body':
      return [bodyStart, Math.max(bodyStart, request.length - 1)]
    case 'whole':
      return [request.length, request.length]
  }
}

/** What is sent of a request that breaks off at this place. */
export const cutAt = (request: Buffer, place: Place, between: (least: number, most: number) => number): Buffer =>
  request.subarray(0, between(...boundsOf(request, place)))

export const hasBody = (request: Buffer): boolean => !request.subarray(-HEAD_END.length).equals(Buffer.from(HEAD_END))

/** Returns a request with the shortest possible Host: 1,600 of these for the document of the API are 60,800 bytes. */
export const shortestGet = (path: string): Buffer => Buffer.from(`GET ${path} HTTP/1.1\r\nHost:a\r\n\r\n`)

/** The bytes that a service reads at once. */
const BURST_BYTES = 62_000

/** Repeats a request until it fills one read of the service: it has them all before it answers the first. */
export const burstOf = (request: Buffer, bytes = BURST_BYTES): Buffer =>
  Buffer.concat(Array.from({ length: Math.floor(bytes / request.length) }, () => request))
