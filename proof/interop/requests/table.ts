// The requests that every recipe meets, and the right answer to each.
import { clientOf } from './environment.ts'
import type { Lines, Sent } from './exchange.ts'
import { hashOf, prove, type Tokens } from './tokens.ts'

/**
 * `accepted` is 200, and behind a gateway the API sees what the token says. `unforged` is that, or `rejected`: a status from 400 to 499, or no
 * answer. `served` is 200 or 204, for pages of any origin. `refused` is 401, `malformed` 400 or 401, `forbidden` 403.
 */
export type Answer = 'accepted' | 'unforged' | 'rejected' | 'served' | 'refused' | 'malformed' | 'forbidden'

/** `api` answers GET, `mcp` POST; a `gateway` has an API behind it, and alone takes tokens that are bound to a key. */
export const KINDS = ['api', 'gateway', 'mcp'] as const
export type Kind = (typeof KINDS)[number]

/** How a recipe decides: by the published keys alone, by them and the revocation feed, or by asking. */
export const CHECKS = ['keys', 'feed', 'introspection'] as const
export type Checks = (typeof CHECKS)[number]

export type Recipe = {
  /** Where it takes requests. */
  readonly address: string
  readonly resource: string
  readonly kind: Kind
  readonly checks: Checks
}

export type Row = {
  readonly name: string
  readonly sent: Sent
  readonly answer: Answer
  /** Whom the API must see, behind a gateway: 'agent' unless given. */
  readonly caller?: 'agent' | 'delegated'
  /** The path that the API may see as well as the one that was sent: a gateway resolves dot segments before it asks. */
  readonly resolved?: string
}

/** The origin under which callers know the API behind a gateway. */
export const ORIGIN = 'https://orders.example'
/** The value that a caller writes into headers that are the gateway's to set. */
export const FORGED = 'admin'

const SET = ['X-Auth-Subject', 'X-Auth-Client', 'X-Auth-Scope', 'X-Auth-Actor']
const forgedLines = (change: (name: string) => string): Lines => SET.map(name => [change(name), FORGED])
const SPELLED: Lines = [
  ...forgedLines(name => name),
  ...forgedLines(name => name.replaceAll('-', '_')),
  ...forgedLines(name => name.replace('-', '_')),
  ...forgedLines(name => name.replace(/-(?=\w+$)/, '_')),
]

const UPGRADE: Lines = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ['Sec-WebSocket-Version', '13'],
]

const bearer = (token: string, scheme = 'Bearer'): Lines => [['Authorization', `${scheme} ${token}`]]

const tokenRows = (tokens: Tokens, { checks }: Recipe): readonly Row[] => [
  { name: 'good', sent: { headers: bearer(tokens.good) }, answer: 'accepted' },
  { name: 'good again', sent: { headers: bearer(tokens.good) }, answer: 'accepted' },
  { name: 'scheme in small letters', sent: { headers: bearer(tokens.good, 'bearer') }, answer: 'accepted' },
  { name: 'scheme in capital letters', sent: { headers: bearer(tokens.good, 'BEARER') }, answer: 'accepted' },
  // What the next rows change is then all that they are refused for.
  ...(checks === 'introspection'
    ? []
    : [{ name: 'signed again', sent: { headers: bearer(tokens.signedAgain) }, answer: 'accepted' } as const]),
  { name: 'expired', sent: { headers: bearer(tokens.expired) }, answer: 'refused' },
  { name: 'ID token', sent: { headers: bearer(tokens.idToken) }, answer: 'refused' },
  { name: 'JWT of another type', sent: { headers: bearer(tokens.otherType) }, answer: 'refused' },
  { name: 'none', sent: {}, answer: 'refused' },
  { name: 'forged', sent: { headers: bearer(tokens.forged) }, answer: 'refused' },
  { name: 'malformed', sent: { headers: bearer('x') }, answer: 'refused' },
  { name: 'empty', sent: { headers: bearer('') }, answer: 'malformed' },
  { name: 'other audience', sent: { headers: bearer(tokens.otherAudience) }, answer: 'refused' },
  { name: 'too little scope', sent: { headers: bearer(tokens.otherScope) }, answer: 'forbidden' },
  { name: 'bound by key, as Bearer', sent: { headers: bearer(tokens.boundToKey) }, answer: 'refused' },
  { name: 'bound by key, no proof', sent: { headers: bearer(tokens.boundToKey, 'DPoP') }, answer: 'refused' },
  { name: 'bound by certificate', sent: { headers: bearer(tokens.boundToCertificate) }, answer: 'refused' },
  { name: 'good, scheme DPoP', sent: { headers: bearer(tokens.good, 'DPoP') }, answer: 'refused' },
  { name: 'revoked', sent: { headers: bearer(tokens.revoked) }, answer: checks === 'keys' ? 'accepted' : 'refused' },
]

const twice = (first: string, second: string): Sent => ({ headers: [...bearer(first), ...bearer(second)] })

const lineRows = ({ good, forged }: Tokens): readonly Row[] => [
  { name: 'two lines, the same', sent: twice(good, good), answer: 'malformed' },
  { name: 'two lines, the first good', sent: twice(good, forged), answer: 'malformed' },
  { name: 'two lines, the second good', sent: twice(forged, good), answer: 'malformed' },
  {
    name: 'two lines, the second Basic',
    sent: { headers: [...bearer(good), ['Authorization', 'Basic YTpi']] },
    answer: 'malformed',
  },
  { name: 'two in one line', sent: { headers: bearer(`${good}, Bearer ${good}`) }, answer: 'malformed' },
]

/** Where GET is the method: no other one passes without a token. */
const methodRows = ({ good }: Tokens): readonly Row[] => [
  { name: 'HEAD', sent: { method: 'HEAD', headers: bearer(good) }, answer: 'accepted' },
  { name: 'HEAD, none', sent: { method: 'HEAD' }, answer: 'refused' },
  {
    name: 'preflight',
    sent: {
      method: 'OPTIONS',
      headers: [
        ['Origin', ORIGIN],
        ['Access-Control-Request-Method', 'GET'],
      ],
    },
    answer: 'refused',
  },
  { name: 'upgrade, none', sent: { headers: UPGRADE }, answer: 'rejected' },
]

type Bound = { readonly path: string; readonly proofOf?: string; readonly method?: string; readonly more?: Lines }

const proofOf = (token: string, { path, proofOf: of = path, method = 'GET', more = [] }: Bound): Sent => ({
  path,
  headers: [
    ...bearer(token, 'DPoP'),
    ['DPoP', prove(method, ORIGIN + of.replace(/\?.*/, ''), { ath: hashOf(token) })],
    ...more,
  ],
})

const proofRows = ({ boundToKey: token }: Tokens, path: string): readonly Row[] => {
  const original: Lines = ['X-Original-URI', 'X-Forwarded-Uri', 'X-Original-URL', 'X-Rewrite-URL'].map(name => [
    name,
    path,
  ])
  const proof = prove('GET', ORIGIN + path, { ath: hashOf(token) })
  return [
    { name: 'proof', sent: proofOf(token, { path: `${path}?page=2` }), answer: 'accepted' },
    { name: 'proof of another path', sent: proofOf(token, { path: '/v1/admin', proofOf: path }), answer: 'refused' },
    {
      name: 'proof of another path, which headers name',
      sent: proofOf(token, { path: '/v1/admin', proofOf: path, more: original }),
      answer: 'refused',
    },
    { name: 'proof of another method', sent: proofOf(token, { path, method: 'POST' }), answer: 'refused' },
    {
      name: 'proof of another method, which headers name',
      sent: proofOf(token, {
        path,
        method: 'POST',
        more: [
          ['X-Original-Method', 'POST'],
          ['X-Forwarded-Method', 'POST'],
        ],
      }),
      answer: 'refused',
    },
    {
      name: 'two proofs',
      sent: { path, headers: [...bearer(token, 'DPoP'), ['DPoP', proof], ['DPoP', proof]] },
      answer: 'malformed',
    },
    { name: 'proof, encoded path', sent: proofOf(token, { path: `${path}%2F1` }), answer: 'unforged' },
    {
      name: 'proof of a decoded path',
      sent: proofOf(token, { path: `${path}%2F1`, proofOf: `${path}/1` }),
      answer: 'unforged',
    },
    ...['..', '%2e%2e', '.%2E'].map(
      dots =>
        ({
          name: `proof of the path behind ${dots}`,
          sent: proofOf(token, { path: `/v1/admin/${dots}/orders`, proofOf: path }),
          answer: 'unforged',
          resolved: path,
        }) as const,
    ),
  ]
}

const gatewayRows = (tokens: Tokens, path: string): readonly Row[] => {
  const { good, delegated } = tokens
  const dropped = SET.join(', ')
  const trailing = (headers: Lines): Sent => ({
    method: 'POST',
    headers: [...bearer(good), ...headers],
    trailers: forgedLines(name => name),
  })
  return [
    { name: 'encoded path', sent: { path: `${path}%2F1?a=%2e`, headers: bearer(good) }, answer: 'unforged' },
    { name: 'POST with a body', sent: { method: 'POST', headers: bearer(good), body: 'x' }, answer: 'accepted' },
    { name: 'delegated', sent: { headers: bearer(delegated) }, answer: 'accepted', caller: 'delegated' },
    { name: 'X-Auth-* in headers', sent: { headers: [...bearer(good), ...SPELLED] }, answer: 'accepted' },
    { name: 'X-Auth-* in headers, none', sent: { headers: SPELLED }, answer: 'refused' },
    {
      name: 'X-Auth-* by Connection',
      sent: { headers: [...bearer(delegated), ['Connection', `close, ${dropped.toLowerCase()}`]] },
      answer: 'unforged',
      caller: 'delegated',
    },
    {
      name: 'X-Auth-* by a second Connection',
      sent: { headers: [...bearer(delegated), ['Connection', 'close'], ['Connection', dropped]] },
      answer: 'unforged',
      caller: 'delegated',
    },
    { name: 'X-Auth-* in trailers', sent: trailing([]), answer: 'unforged' },
    {
      name: 'X-Auth-* in announced trailers',
      sent: trailing([
        ['TE', 'trailers'],
        ['Trailer', dropped],
      ]),
      answer: 'unforged',
    },
    { name: 'X-Auth-* in trailers of HTTP/2', sent: { ...trailing([]), isHttp2: true }, answer: 'unforged' },
    {
      name: 'X-Auth-* with an upgrade',
      sent: { headers: [...bearer(good), ...UPGRADE, ...SPELLED] },
      answer: 'unforged',
    },
    ...proofRows(tokens, path),
  ]
}

/** What a client of MCP says first. */
const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'table', version: '1' } },
}

const asMcp = (row: Row): Row => ({
  ...row,
  sent: {
    ...row.sent,
    method: 'POST',
    headers: [
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json, text/event-stream'],
      ...(row.sent.headers ?? []),
    ],
    body: JSON.stringify(HELLO),
  },
})

/** The metadata of the resource (RFC 9728 §3.1), which clients in browsers read too. */
const metadataRows = ({ resource }: Recipe): readonly Row[] => {
  const path = `/.well-known/oauth-protected-resource${new URL(resource).pathname}`
  const origin: Lines = [['Origin', ORIGIN]]
  return [
    { name: 'metadata', sent: { path, headers: origin }, answer: 'served' },
    {
      name: 'preflight of the metadata',
      sent: { path, method: 'OPTIONS', headers: [...origin, ['Access-Control-Request-Method', 'GET']] },
      answer: 'served',
    },
  ]
}

export const rowsFor = (recipe: Recipe, tokens: Tokens): readonly Row[] => {
  const rows = [...tokenRows(tokens, recipe), ...lineRows(tokens)]
  if (recipe.kind === 'mcp') return [...rows.map(asMcp), ...metadataRows(recipe)]
  const all = [...rows, ...methodRows(tokens)]
  return recipe.kind === 'api' ? all : [...all, ...gatewayRows(tokens, new URL(recipe.address).pathname)]
}

/** The headers of a gateway for a caller. */
export const expectedSet = (caller: Row['caller'] = 'agent'): Readonly<Record<string, string>> => {
  const agent = clientOf('').client_id
  const actor = caller === 'agent' ? '' : clientOf('ORDERS_').client_id
  return {
    'x-auth-subject': agent,
    'x-auth-client': actor === '' ? agent : actor,
    'x-auth-scope': 'db:read',
    'x-auth-actor': actor,
  }
}
