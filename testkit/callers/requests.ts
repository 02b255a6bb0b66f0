// Sends requests exactly as a test writes them, and reads answers whole.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { CERTIFICATE } from '../keys/loopback-certificate.ts'
import type { AgentOfTest, TestServer } from '../services/test-server.ts'

/** Fields by name, or the text of a form as it is sent. */
export type Fields = Readonly<Record<string, string>> | string

export type Answer = {
  /** The path that was asked for, without its query string. */
  readonly path: string
  /** The base URL of the service that answered. */
  readonly baseUrl: string
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Every WWW-Authenticate line. */
  readonly challenges: readonly string[]
  readonly text: string
  /** The body, where it is JSON. */
  readonly json: unknown
}

type Message = {
  readonly method?: string
  /** The path below the base URL; with `@` in front, below the origin. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array
  readonly connection?: Connection
}

/** The address that a connection comes from, and the TLS credentials of its client. */
export type Connection = Pick<RequestOptions, 'agent' | 'cert' | 'key' | 'localAddress' | 'maxVersion' | 'minVersion'>

/** A stream of events has no end: what comes first of it is read. */
const readBody = async (response: IncomingMessage): Promise<string> => {
  if (!response.headers['content-type']?.startsWith('text/event-stream')) return text(response)
  const [first = ''] = (await Promise.race([once(response, 'data'), once(response, 'end')])) as [Buffer?]
  response.destroy()
  return first.toString()
}

const readAnswer = async (response: IncomingMessage, baseUrl: string, target: string): Promise<Answer> => {
  const body = await readBody(response)
  const isJson = /[/+]json\b/.test(response.headers['content-type'] ?? '') && body !== ''
  const headers = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')])
  const challenges = response.headersDistinct['www-authenticate'] ?? []
  const json: unknown = isJson ? JSON.parse(body) : undefined
  const [path = ''] = target.split('?', 1)
  const status = response.statusCode ?? 0
  return { path, baseUrl, status, headers: Object.fromEntries(headers), challenges, text: body, json }
}

export const send = async (service: TestServer, message: Message): Promise<Answer> => {
  const { protocol, hostname, port, pathname } = new URL(service.baseUrl)
  const open = protocol === 'https:' ? httpsRequest : httpRequest
  const below = message.path.startsWith('@') ? message.path.slice(1) : pathname.replace(/\/$/, '') + message.path
  const request = open({
    ...(protocol === 'https:' && { ca: CERTIFICATE }),
    ...message.connection,
    hostname,
    port,
    path: below,
    method: message.method ?? 'GET',
    headers: message.headers as NodeJS.Dict<string | string[]>,
  })
  // An answer may come before the whole body is out; the connection then ends under the rest.
  request.on('error', () => undefined)
  request.end(message.body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return readAnswer(response, service.baseUrl, below)
}

/** Writes bytes to a connection and returns what comes back until the server closes it. */
export const sendBytes = async (service: Pick<TestServer, 'baseUrl'>, bytes: string): Promise<string> => {
  const { hostname, port } = new URL(service.baseUrl)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.write(bytes)
  return text(socket)
}

/** Posts the beginning of a long JSON body and returns the status that comes back, the rest of the body never sent. */
export const statusBeforeBody = async (service: TestServer, path: string, bytes: number): Promise<number> => {
  const { hostname, port, host } = new URL(service.baseUrl)
  const socket = connect({ host: hostname, port: Number(port) })
  const head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}`
  socket.write(`${head}\r\n\r\n{`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return Number(answer.toString('latin1').split(' ')[1])
}

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const formOf = (fields: Fields): string =>
  typeof fields === 'string' ? fields : new URLSearchParams(fields).toString()

export const postForm = (
  service: TestServer,
  path: string,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => send(service, { method: 'POST', path, headers: { ...FORM, ...headers }, body: formOf(fields) })

/** A body as JSON; none at all where it is undefined. */
export const postJson = (
  service: TestServer,
  path: string,
  body: object | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  send(service, {
    method: 'POST',
    path,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

export const get = (service: TestServer, path: string, headers: Readonly<Record<string, string>> = {}) =>
  send(service, { path, headers })

/** Sends JSON; without a body where `body` is undefined. */
export const sendJson = (
  service: TestServer,
  method: string,
  path: string,
  { body, headers }: { readonly body?: unknown; readonly headers: Readonly<Record<string, string>> },
): Promise<Answer> =>
  body === undefined
    ? send(service, { method, path, headers })
    : send(service, {
        method,
        path,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })

export const basic = (user: string, password: string): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

export const bearer = (jwt: string): { authorization: string } => ({ authorization: `Bearer ${jwt}` })

const GRANT = { grant_type: 'client_credentials' }

export const askToken = (service: TestServer, agent: AgentOfTest, fields: Readonly<Record<string, string>> = {}) =>
  postForm(service, '/oauth/token', {
    ...GRANT,
    client_id: agent.clientId,
    client_secret: agent.clientSecret,
    ...fields,
  })

/** A token, or the test fails. */
export const issue = async (
  service: TestServer,
  agent: AgentOfTest,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const answer = await askToken(service, agent, fields)
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as { access_token: string }).access_token
}

export const introspect = (service: TestServer, key: string, token: string): Promise<Answer> =>
  postForm(service, '/oauth/introspect/v2', { token }, { 'x-api-key': key })

export const revoke = async (service: TestServer, token: string): Promise<Answer> =>
  postForm(service, '/oauth/revoke', { token }, bearer(await service.provider.operatorJwt()))

/** The claims of a token, unverified. */
export const claimsOf = (token: string): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Readonly<Record<string, unknown>>

/** Asserts status and whole body of an error, and what every answer carries. */
export const assertError = (answer: Answer, status: number, error: string, description: string): void => {
  assert.deepEqual(
    { status: answer.status, json: answer.json },
    { status, json: { error, error_description: description } },
  )
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assertPlainHeaders(answer)
}

/** The titles of the problems that the tests assert as a whole, by code. */
const TITLES: Readonly<Record<string, string>> = {
  invalid_request: 'Invalid request',
  invalid_scope: 'Invalid scope',
  invalid_target: 'Invalid target',
  invalid_client: 'Authentication failed',
  invalid_token: 'Invalid token',
  insufficient_scope: 'Insufficient permissions',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  already_exists: 'Already exists',
  plan_outdated: 'Plan outdated',
  request_too_large: 'Request too large',
  temporarily_unavailable: 'Temporarily unavailable',
}

/** Like assertError, for `/api/v1/*`. */
export const assertProblem = (answer: Answer, status: number, error: string, description: string): void => {
  const type = `${answer.baseUrl}/errors#${error}`
  const problem = { type, title: TITLES[error], status, detail: description }
  assert.deepEqual(
    { status: answer.status, json: answer.json },
    { status, json: { ...problem, error, error_description: description } },
  )
  assert.equal(answer.headers['content-type'], 'application/problem+json')
  assertPlainHeaders(answer)
}

/** `no-store` and a request id, as on every answer but the key set's and the metadata's; and `Pragma` with a token. */
export const assertPlainHeaders = (answer: Answer): void => {
  assert.equal(answer.headers['cache-control'], 'no-store')
  if (answer.path.endsWith('/oauth/token')) assert.equal(answer.headers['pragma'], 'no-cache')
  assert.match(answer.headers['x-request-id'] ?? '', /^[A-Za-z0-9._-]{1,64}$/)
}
