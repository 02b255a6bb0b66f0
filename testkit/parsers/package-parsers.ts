// The parsers of what others install: headers and tokens of strangers, documents and streams of the revocation feed, and answers
// of a service.
import fc from 'fast-check'
import { parseObject as parseAnswer, retryAfterOf } from '../../packages/client/src/wire/answer.ts'
import { parseAuthorization } from '../../packages/verify/src/authorization.ts'
import { isUnreadable, readChanges, readHead, readSnapshot } from '../../packages/verify/src/feed/document.ts'
import { makeEventReader, type ServerEvent } from '../../packages/verify/src/feed/event-stream.ts'
import { parseHead } from '../../packages/verify/src/feed/requests.ts'
import { parseCertificateHeader } from '../../packages/verify/src/readers/certificate-header.ts'
import { parseCheckQuery } from '../../packages/gateway/src/check-query.ts'
import { parseListenAddress } from '../../packages/gateway/src/listen-address.ts'
import { parseOriginalRequest } from '../../packages/gateway/src/original-request.ts'
import { parsePeer } from '../../packages/gateway/src/trusted-peers.ts'
import { parseNetwork } from '../../packages/gateway/src/process/networks.ts'
import { isRefusal } from '../../packages/verify/src/refusals.ts'
import { readClaims } from '../../packages/verify/src/tokens/claims.ts'
import { decodeCanonical, makeCompactReader, splitCompact } from '../../packages/verify/src/readers/compact-jws.ts'
import { type JsonObject, parseObject } from '../../packages/verify/src/readers/json.ts'
import { makeReader } from '../../packages/verify/src/tokens/signatures.ts'
import { RequestFailure } from '../../packages/verify/src/wire/http.ts'
import { charactersOf } from './hostile-inputs.ts'
import { type Good, type Parser, parsersIn, refusesBy } from './parser.ts'

const ISSUER = 'https://issuer.example'
const AUDIENCE = 'https://api.example'
const TOKEN_ID = '019aa5b0-1234-7abc-8def-0123456789ab'
const CHARACTERS_MAX = 16_000

const good = (input: string, value?: unknown): fc.Arbitrary<Good> =>
  fc.constant(value === undefined ? { input } : { input, value })

const encode = (text: string): string => Buffer.from(text).toString('base64url')

const compact = (header: object, payload: object): string =>
  [JSON.stringify(header), JSON.stringify(payload), 'a signature'].map(encode).join('.')

const CLAIMS = {
  iss: ISSUER,
  sub: 'orders',
  aud: AUDIENCE,
  client_id: 'orders',
  iat: 1_700_000_000,
  exp: 1_700_000_300,
  jti: TOKEN_ID,
  scope: 'db:read reports:write',
}
const TOKEN = compact({ alg: 'ES256', typ: 'at+jwt', kid: 'k' }, CLAIMS)

const HEAD = { epoch: '0198-abc', position: 12, now: 1_700_000_000_000 }
const SNAPSHOT = {
  ...HEAD,
  segments: [
    [0, 10],
    [10, 12],
  ],
}
const CHANGES = {
  epoch: HEAD.epoch,
  now: HEAD.now,
  from: 10,
  to: 12,
  ended: { 1700000300: encode('01234567') },
  cut_offs: [{ seq: 7, until: 1_700_000_300, scope: 'db:*', keep_audiences: [], root: encode('01234567') }],
}

/** A parser of an object, as a parser of its bytes. */
const ofObject =
  (read: (value: JsonObject) => object) =>
  (bytes: Buffer): unknown => {
    const value = parseObject(bytes)
    const answer = value && read(value)
    return answer === undefined || isUnreadable(answer) || isRefusal(answer) ? undefined : answer
  }

const TOO_LARGE = /^An event has more than/

/** The events of a text that comes in two pieces. */
const eventsIn = (text: string): readonly ServerEvent[] | undefined => {
  const events: ServerEvent[] = []
  const read = makeEventReader(CHARACTERS_MAX, event => events.push(event))
  const middle = Math.floor(text.length / 2)
  try {
    for (const piece of [text.slice(0, middle), text.slice(middle)]) read(piece)
  } catch (fault) {
    if (fault instanceof Error && TOO_LARGE.test(fault.message)) return undefined
    throw fault
  }
  return events
}

const word = fc.string({ unit: fc.constantFrom(...charactersOf('abcXYZ019')), minLength: 1, maxLength: 20 })

const events: fc.Arbitrary<Good> = fc.array(fc.record({ event: word, data: word }), { maxLength: 5 }).map(all => ({
  input: all.map(({ event, data }) => `:a comment\nevent: ${event}\r\ndata:${data}\r\n\r\n`).join(''),
  value: all.map(one => ({ ...one })),
}))

const authorization: fc.Arbitrary<Good> = word.map(token => ({
  input: `bEARER  ${token}`,
  value: { scheme: 'Bearer', token },
}))

const authorizationIn = (header: string): unknown => {
  const read = parseAuthorization(header)
  return read === 'none' || read === 'malformed' ? undefined : read
}

const documents = parsersIn('packages/verify/src/feed/document.ts')
const compacts = parsersIn('packages/verify/src/readers/compact-jws.ts')
const answers = parsersIn('packages/client/src/wire/answer.ts')

export const PACKAGE_PARSERS: readonly Parser[] = [
  parsersIn('packages/verify/src/authorization.ts').ofText(
    { name: 'parseAuthorization', good: authorization },
    authorizationIn,
  ),
  compacts.ofText({ name: 'splitCompact', good: good('a.b.c', ['a', 'b', 'c']) }, text =>
    splitCompact(text, CHARACTERS_MAX),
  ),
  compacts.ofText({ name: 'decodeCanonical', good: word.map(text => ({ input: encode(text) })) }, decodeCanonical),
  compacts.ofText({ name: 'makeCompactReader', good: good(TOKEN) }, makeCompactReader(CHARACTERS_MAX)),
  parsersIn('packages/verify/src/tokens/signatures.ts').ofText({ name: 'makeReader', good: good(TOKEN) }, text => {
    const read = makeReader('at+jwt', CHARACTERS_MAX)(text)
    return isRefusal(read) ? undefined : read
  }),
  parsersIn('packages/verify/src/readers/json.ts').ofBytes(
    { name: 'parseObject', good: fc.json().map(json => ({ input: `{"a":${json}}` })) },
    parseObject,
  ),
  parsersIn('packages/verify/src/tokens/claims.ts').ofBytes(
    { name: 'readClaims', good: good(JSON.stringify(CLAIMS), CLAIMS) },
    ofObject(value => readClaims(value, { issuer: ISSUER, audiences: [AUDIENCE] })),
  ),
  documents.ofBytes({ name: 'readHead', good: good(JSON.stringify(HEAD), HEAD) }, ofObject(readHead)),
  documents.ofBytes({ name: 'readSnapshot', good: good(JSON.stringify(SNAPSHOT), SNAPSHOT) }, ofObject(readSnapshot)),
  documents.ofBytes({ name: 'readChanges', good: good(JSON.stringify(CHANGES)) }, ofObject(readChanges)),
  parsersIn('packages/verify/src/feed/requests.ts').ofText(
    { name: 'parseHead', good: good(JSON.stringify(HEAD), HEAD) },
    refusesBy(RequestFailure, parseHead),
  ),
  parsersIn('packages/verify/src/feed/event-stream.ts').ofText({ name: 'makeEventReader', good: events }, eventsIn),
  parsersIn('packages/gateway/src/check-query.ts').ofText(
    {
      name: 'parseCheckQuery',
      good: good('scope=db:read+db:write&audience=urn%3Aa', { scopes: ['db:read', 'db:write'], audience: 'urn:a' }),
    },
    parseCheckQuery,
  ),
  parsersIn('packages/gateway/src/original-request.ts').ofText(
    { name: 'parseOriginalRequest', good: good('/v1/orders?page=2', { method: 'GET', path: '/v1/orders' }) },
    text => parseOriginalRequest('GET', text),
  ),
  parsersIn('packages/gateway/src/listen-address.ts').ofText(
    { name: 'parseListenAddress', good: good('[::1]:8790', { host: '::1', port: 8790 }) },
    parseListenAddress,
  ),
  parsersIn('packages/gateway/src/trusted-peers.ts').ofText({ name: 'parsePeer', good: good('10.0.0.0/8') }, parsePeer),
  parsersIn('packages/gateway/src/process/networks.ts').ofText(
    { name: 'parseNetwork', good: fc.ipV4().map(address => ({ input: address, value: `${address}/32` })) },
    parseNetwork,
  ),
  parsersIn('packages/verify/src/readers/certificate-header.ts').ofText(
    {
      name: 'parseCertificateHeader',
      good: good('Hash=ab;Cert="-----BEGIN%20CERTIFICATE-----"', { pem: '-----BEGIN CERTIFICATE-----' }),
    },
    text => parseCertificateHeader('xfcc', text),
  ),
  answers.ofText({ name: 'parseObject', good: fc.json().map(json => ({ input: `{"a":${json}}` })) }, text =>
    parseAnswer(text),
  ),
  answers.ofText(
    {
      name: 'retryAfterOf',
      good: fc.integer({ min: 1, max: 300 }).map(value => ({ input: String(value), value })),
    },
    // What is asked of headers is this one; Headers itself takes no other text.
    text => retryAfterOf({ get: () => text } as unknown as Headers, 0),
  ),
]
