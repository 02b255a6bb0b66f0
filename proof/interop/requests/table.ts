// The requests that every recipe meets, and the right answer to each.
import { clientOf } from './environment.ts'
import type { Lines, Sent } from './exchange.ts'
import { FLAWED_PROOFS, hashOf, NEEDED, prove, type Tokens } from './tokens.ts'

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

const rowOf =
  (answer: Answer) =>
  (name: string, sent: Sent, more: Pick<Row, 'caller' | 'resolved'> = {}): Row => ({ name, sent, answer, ...more })

const accepted = rowOf('accepted')
const unforged = rowOf('unforged')
const rejected = rowOf('rejected')
const served = rowOf('served')
const refused = rowOf('refused')
const malformed = rowOf('malformed')
const forbidden = rowOf('forbidden')

const bearer = (token: string, scheme = 'Bearer'): Lines => [['Authorization', `${scheme} ${token}`]]
const presenting = (token: string, scheme?: string): Sent => ({ headers: bearer(token, scheme) })

/** The service, asked, knows only tokens that it issued: of others it says nothing more. */
const signedRows = ({ signedAgain, scopeAlike }: Tokens): readonly Row[] => [
  // What the flawed ones change is then all that they are refused for.
  accepted('signed again', presenting(signedAgain)),
  forbidden('scopes that look alike', presenting(scopeAlike)),
]

const tokenRows = (tokens: Tokens, { checks }: Recipe): readonly Row[] => [
  accepted('good', presenting(tokens.good)),
  accepted('good again', presenting(tokens.good)),
  accepted('scheme in small letters', presenting(tokens.good, 'bearer')),
  accepted('scheme in capital letters', presenting(tokens.good, 'BEARER')),
  ...['DPoP', 'Basic', 'Token'].map(scheme => refused(`scheme ${scheme}`, presenting(tokens.good, scheme))),
  ...(checks === 'introspection' ? [] : signedRows(tokens)),
  ...Object.entries(tokens.flawed).map(([name, token]) => refused(name, presenting(token))),
  refused('none', {}),
  refused('no JWT', presenting('x')),
  malformed('empty', presenting('')),
  refused('for another audience', presenting(tokens.otherAudience)),
  forbidden('of too little scope', presenting(tokens.otherScope)),
  refused('bound by key, as Bearer', presenting(tokens.boundToKey)),
  refused('bound by key, no proof', presenting(tokens.boundToKey, 'DPoP')),
  refused('bound by certificate', presenting(tokens.boundToCertificate)),
  // A recipe that remembers a verdict remembers this one.
  accepted('not yet revoked', presenting(tokens.revoked)),
  (checks === 'keys' ? accepted : refused)('revoked', presenting(tokens.revoked)),
]

const twice = (first: string, second: string): Sent => ({ headers: [...bearer(first), ...bearer(second)] })

const lineRows = ({ good, flawed: { forged = '' } }: Tokens): readonly Row[] => [
  malformed('two lines, the same', twice(good, good)),
  malformed('two lines, the first good', twice(good, forged)),
  malformed('two lines, the second good', twice(forged, good)),
  malformed('two lines, the second Basic', { headers: [...bearer(good), ['Authorization', 'Basic YTpi']] }),
  malformed('two in one line', presenting(`${good}, Bearer ${good}`)),
]

const PREFLIGHT: Lines = [
  ['Origin', ORIGIN],
  ['Access-Control-Request-Method', 'GET'],
]

/** Where GET is the method and one path is served: nothing else passes without a token. */
const methodRows = ({ good }: Tokens, path: string): readonly Row[] => [
  refused('in the query', { path: `${path}?access_token=${good}` }),
  rejected('root, none', { path: '/' }),
  rejected('path below, none', { path: path.endsWith('/') ? `${path}1` : `${path}/1` }),
  rejected('POST, none', { method: 'POST' }),
  rejected('DELETE, none', { method: 'DELETE' }),
  accepted('HEAD', { method: 'HEAD', headers: bearer(good) }),
  refused('HEAD, none', { method: 'HEAD' }),
  refused('preflight', { method: 'OPTIONS', headers: PREFLIGHT }),
  rejected('upgrade, none', { headers: UPGRADE }),
]

type Bound = { readonly path: string; readonly proofOf?: string; readonly method?: string; readonly more?: Lines }

const proving = (token: string, path: string, proof: string, more: Lines = []): Sent => ({
  path,
  headers: [...bearer(token, 'DPoP'), ['DPoP', proof], ...more],
})

const proofOf = (token: string, { path, proofOf: of = path, method = 'GET', more = [] }: Bound): Sent =>
  proving(token, path, prove(method, ORIGIN + of.replace(/\?.*/, ''), { ath: hashOf(token) }), more)

const proofRows = ({ boundToKey: token }: Tokens, path: string): readonly Row[] => {
  const original: Lines = ['X-Original-URI', 'X-Forwarded-Uri', 'X-Original-URL', 'X-Rewrite-URL'].map(name => [
    name,
    path,
  ])
  const methods: Lines = [
    ['X-Original-Method', 'POST'],
    ['X-Forwarded-Method', 'POST'],
  ]
  const right = { ath: hashOf(token) }
  const proof = prove('GET', ORIGIN + path, right)
  const once = proofOf(token, { path: `${path}?page=2` })
  const admin = { path: '/v1/admin', proofOf: path }
  return [
    accepted('proof', once),
    refused('proof, again', once),
    malformed('two proofs', proving(token, path, proof, [['DPoP', proof]])),
    ...Object.entries(FLAWED_PROOFS).map(([name, make]) =>
      refused(`proof ${name}`, proving(token, path, make('GET', ORIGIN + path, right))),
    ),
    refused('proof of another path', proofOf(token, admin)),
    refused('proof of another path, which headers name', proofOf(token, { ...admin, more: original })),
    refused('proof of another method', proofOf(token, { path, method: 'POST' })),
    refused('proof of another method, which headers name', proofOf(token, { path, method: 'POST', more: methods })),
    unforged('proof, encoded path', proofOf(token, { path: `${path}%2F1` })),
    unforged('proof of a decoded path', proofOf(token, { path: `${path}%2F1`, proofOf: `${path}/1` })),
    ...['..', '%2e%2e', '.%2E'].map(dots => {
      const sent = proofOf(token, { path: `/v1/admin/${dots}/orders`, proofOf: path })
      return unforged(`proof of the path behind ${dots}`, sent, { resolved: path })
    }),
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
  const announced: Lines = [
    ['TE', 'trailers'],
    ['Trailer', dropped],
  ]
  const naming = (...values: readonly string[]): Sent => ({
    headers: [...bearer(delegated), ...values.map((value): [string, string] => ['Connection', value])],
  })
  return [
    unforged('encoded path', { path: `${path}%2F1?a=%2e`, headers: bearer(good) }),
    accepted('POST with a body', { method: 'POST', headers: bearer(good), body: 'x' }),
    accepted('delegated', presenting(delegated), { caller: 'delegated' }),
    accepted('X-Auth-* in headers', { headers: [...bearer(good), ...SPELLED] }),
    refused('X-Auth-* in headers, none', { headers: SPELLED }),
    unforged('X-Auth-* by Connection', naming(`close, ${dropped.toLowerCase()}`), { caller: 'delegated' }),
    unforged('X-Auth-* by a second Connection', naming('close', dropped), { caller: 'delegated' }),
    unforged('X-Auth-* in trailers', trailing([])),
    unforged('X-Auth-* in announced trailers', trailing(announced)),
    unforged('X-Auth-* in trailers of HTTP/2', { ...trailing([]), isHttp2: true }),
    unforged('X-Auth-* with an upgrade', { headers: [...bearer(good), ...UPGRADE, ...SPELLED] }),
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
  return [
    served('metadata', { path, headers: [['Origin', ORIGIN]] }),
    served('preflight of the metadata', { path, method: 'OPTIONS', headers: PREFLIGHT }),
  ]
}

export const rowsFor = (recipe: Recipe, tokens: Tokens): readonly Row[] => {
  const rows = [...tokenRows(tokens, recipe), ...lineRows(tokens)]
  if (recipe.kind === 'mcp') return [...rows.map(asMcp), ...metadataRows(recipe)]
  const { pathname } = new URL(recipe.address)
  const all = [...rows, ...methodRows(tokens, pathname)]
  return recipe.kind === 'api' ? all : [...all, ...gatewayRows(tokens, pathname)]
}

/** The headers of a gateway for a caller. */
export const expectedSet = (caller: Row['caller'] = 'agent'): Readonly<Record<string, string>> => {
  const agent = clientOf('').client_id
  const actor = caller === 'agent' ? '' : clientOf('ORDERS_').client_id
  return {
    'x-auth-subject': agent,
    'x-auth-client': actor === '' ? agent : actor,
    'x-auth-scope': NEEDED,
    'x-auth-actor': actor,
  }
}
