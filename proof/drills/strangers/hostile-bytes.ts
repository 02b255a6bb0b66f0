// Bytes that arrive whole and that a store cannot hold: NUL, lone surrogates, what is not UTF-8. Strangers send them, and
// callers with a credential, for whom they come further.
import { randomUUID } from 'node:crypto'
import { type GenuineCursor, LISTS, pointElsewhere } from './genuine-cursors.ts'
import {
  apiKey,
  basic,
  bearer,
  formRequest,
  introspection,
  jsonRequest,
  requestOf,
  tokenRequest,
  wrongSecret,
} from './requests.ts'

/** What the requests carry where they carry a credential. */
export type Credentials = {
  readonly clientId: string
  readonly introspectionKey: string
  readonly readerKey: string
  readonly adminJwt: string
  readonly cursors: readonly GenuineCursor[]
}

type Requests = (credentials: Credentials) => readonly Buffer[]

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const tokenForm = (id: string): Buffer =>
  formRequest('/oauth/token', `grant_type=client_credentials&client_id=${id}&client_secret=x`)

/** NUL is valid UTF-8, and PostgreSQL refuses the whole statement that holds one in a text. */
const nuls: Requests = ({ clientId, introspectionKey, readerKey, adminJwt }) => [
  tokenForm('%00a'),
  tokenForm('a%00'),
  tokenForm('%00'),
  tokenRequest(`${clientId}\0`, wrongSecret()),
  tokenRequest(clientId, '\0'),
  formRequest('/oauth/token', 'grant_type=client_credentials&scope=db:read', [basic('\0a', 'x')]),
  formRequest('/oauth/token', 'grant_type=client_credentials&scope=%00', [basic(clientId, 'x\0')]),
  formRequest('/oauth/token', 'grant_type=client_credentials&client_id=a\0b&client_secret=c'),
  introspection(introspectionKey, '\0'),
  introspection('\0', '\0'),
  formRequest('/oauth/revoke', 'token=%00', [bearer(adminJwt)]),
  formRequest('/oauth/revoke', 'token=%00', [basic('%00', '%00')]),
  requestOf('GET /api/v1/tokens/%00', { headers: [apiKey(readerKey)] }),
  requestOf('GET /api/v1/tokens?agent_id=%00', { headers: [apiKey(readerKey)] }),
  requestOf('GET /api/v1/agents?name_prefix=%00', { headers: [bearer(adminJwt)] }),
  requestOf('GET /api/v1/audit?subject=%00', { headers: [bearer(adminJwt)] }),
  requestOf('GET /api/v1/audit/refusals?client_id=%00', { headers: [bearer(adminJwt)] }),
]

const encoded = (text: string): string => Buffer.from(text, 'latin1').toString('base64url')
/** Endings as they stand in a query string: `%2500` is a cursor with `%00` in it, which its reader may decode again. */
const ENDINGS = ['%2500', 'a%2500', '%25ed%25a0%2580', '%25ff', '%00', '%ff', '%25', '9'.repeat(400), '1e309', '-1']
const FOREIGN = ['.%2500', '%2500.', encoded('\0'), encoded('["\0"]'), encoded('{"a":"\\ud800"}'), 'A'.repeat(4000)]

const cursors: Requests = ({ adminJwt, cursors: genuine }) => {
  const forged = genuine.flatMap(({ list, cursor }) =>
    ENDINGS.map(ending => `${list}?cursor=${pointElsewhere(cursor, ending)}`),
  )
  const foreign = LISTS.flatMap(list => FOREIGN.map(cursor => `${list}?cursor=${cursor}`))
  return [...forged, ...foreign].flatMap(path => [
    requestOf(`GET ${path}`, { headers: [bearer(adminJwt)] }),
    requestOf(`GET ${path}`),
  ])
}

const SURROGATES = ['\\ud800', '\\udc00', 'a\\udfffb', '\\ud800\\u0000', '\\u0000'] as const

/** JSON may spell what UTF-8 and PostgreSQL do not have (RFC 8259 §8.2). */
const surrogates: Requests = ({ adminJwt }) =>
  SURROGATES.flatMap(text => [
    jsonRequest('/api/v1/revocations', adminJwt, `{"id":"${randomUUID()}","scope":"drill:nobody","note":"${text}"}`),
    jsonRequest('/api/v1/revocations', adminJwt, `{"id":"${text}","scope":"${text}","note":"drill"}`),
    jsonRequest('/api/v1/agents', adminJwt, `{"name":"${text}","scopes":["db:read"]}`),
    jsonRequest('/api/v1/agents', adminJwt, `{"name":"drill","scopes":["${text}"],"labels":{"${text}":"${text}"}}`),
    jsonRequest('/api/v1/api-keys', adminJwt, `{"name":"${text}","permissions":["${text}"]}`),
    jsonRequest(
      '/api/v1/imports',
      adminJwt,
      `{"agents":[{"client_id":"${text}","name":"a","scope":"a:b"}],"dry_run":true}`,
    ),
    jsonRequest('/api/v1/revocations', 'nobody', `{"id":"${text}","all":true,"note":"${text}"}`),
  ])

const NOT_UTF8 = ['\xff\xfe', '\xc0\x80', '\xed\xa0\x80', '\xf5\x80\x80\x80', '\xe2\x82'] as const

const percentEncoded = (text: string): string =>
  Array.from(latin1(text), byte => `%${byte.toString(16).padStart(2, '0')}`).join('')

const notUtf8: Requests = ({ clientId, introspectionKey, readerKey, adminJwt }) =>
  NOT_UTF8.flatMap(text => [
    tokenForm(percentEncoded(text)),
    formRequest('/oauth/token', latin1(`grant_type=client_credentials&client_id=${text}&client_secret=${text}`)),
    formRequest('/oauth/token', latin1(`grant_type=client_credentials&scope=${text}`), [basic(clientId, 'x')]),
    formRequest('/oauth/token', 'grant_type=client_credentials', [
      `Authorization: Basic ${latin1(`${text}:${text}`).toString('base64')}`,
    ]),
    formRequest('/oauth/introspect/v2', latin1(`token=${text}`), [apiKey(introspectionKey)]),
    formRequest('/oauth/introspect/v2', 'token=a', [apiKey(text)]),
    formRequest('/oauth/revoke', latin1(`token=${text}`), [bearer(text)]),
    requestOf(`GET /api/v1/tokens?agent_id=${percentEncoded(text)}`, { headers: [apiKey(readerKey)] }),
    requestOf(`GET /api/v1/agents/${percentEncoded(text)}`, { headers: [bearer(adminJwt)] }),
    requestOf(`GET /${text}`, { headers: [`X-Request-Id: ${text}`] }),
    jsonRequest('/api/v1/agents', adminJwt, latin1(`{"name":"${text}","scopes":["db:read"]}`)),
  ])

/** The requests by the name of their stage. */
export const HOSTILE_BYTES: Readonly<Record<string, Requests>> = {
  'nul-bytes': nuls,
  cursors,
  'json-surrogates': surrogates,
  'invalid-utf8': notUtf8,
}
