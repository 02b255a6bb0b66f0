// The parsers of requests: paths, headers, forms, queries, JSON bodies and cursors (http and domain).
import type { FastifyRequest } from 'fastify'
import { createAgent } from '../../api/agents.ts'
import { listTokens } from '../../api/tokens.ts'
import { CERTIFICATE_FORMS, type CertificateForm } from '../../packages/verify/src/readers/certificate-header.ts'
import { formatCursor, formatKeyCursor, parseCursor, parseKeyCursor } from '../../server/src/domain/lists/page.ts'
import { isRefused } from '../../server/src/domain/refusal.ts'
import { countValues } from '../../server/src/domain/text/json-values.ts'
import { findMemberFault } from '../../server/src/domain/text/member-names.ts'
import { makeNegotiator, takesGzip } from '../../server/src/domain/text/accept.ts'
import { readCertificateHeader } from '../../server/src/http/wire/source.ts'
import { cookieOf } from '../../server/src/http/wire/cookies.ts'
import { RefusedInput } from '../../server/src/http/wire/refused-input.ts'
import { readClientCredentials } from '../../server/src/http/oauth/client-credentials.ts'
import { decodeBasic, parseAuthorization } from '../../server/src/http/wire/authorization.ts'
import { readQuery, parseBody, pathOf } from '../../server/src/http/wire/fields.ts'
import { parseTarget } from '../../server/src/domain/text/text.ts'
import { decodeFormValue, parsePairs } from '../../packages/verify/src/readers/form.ts'
import { hopsOfForwarded, hopsOfForwardedFor } from '../../server/src/http/wire/forwarded.ts'
import { readIdempotencyKey } from '../../server/src/http/wire/idempotency-key.ts'
import { makeJsonReader } from '../../server/src/http/wire/json-body.ts'
import { requestIdOf } from '../../server/src/http/wire/request-rules.ts'
import { clientCertificates } from '../../server/src/keys/clients/client-certificates.ts'
import { makeCertificate } from '../keys/make-certificate.ts'
import { charactersOf } from './hostile-inputs.ts'
import { type Good, ofJson, type Parser, parsersIn } from './parser.ts'
import { goodName } from './value-parsers.ts'
import fc from 'fast-check'

/** Undefined for input that is refused by a RefusedInput. */
const orRefused = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch (fault) {
    if (fault instanceof RefusedInput) return undefined
    throw fault
  }
}

const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter(one => one.isWellFormed())
const ascii = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 })
const token = fc.string({ unit: fc.constantFrom(...charactersOf('aZ09._-')), minLength: 1, maxLength: 20 })

const pairs = fc.array(fc.tuple(text, text), { maxLength: 6 })
const form: fc.Arbitrary<Good> = pairs.map(value => ({ input: new URLSearchParams(value).toString(), value }))

const basic: fc.Arbitrary<Good> = fc.tuple(text, token).map(([user, password]) => ({
  input: Buffer.from(`${encodeURIComponent(user)}:${password}`).toString('base64'),
  value: { user, password },
}))

const agentBody: fc.Arbitrary<Good> = goodName.map(name => ({
  input: JSON.stringify({ name, scope: 'db:read', labels: { team: name } }),
}))

const readAgent = makeJsonReader(createAgent.body)

const queryOf = (query: string): unknown => {
  const read = parsePairs(query)
  return read === undefined ? undefined : readQuery(listTokens.query, read)
}

const TOKEN_ID = '019aa5b0-1234-7abc-8def-0123456789ab'
const PRINT = 'f'.repeat(32)

const cursor: fc.Arbitrary<Good> = fc.integer({ min: 0, max: 999_999_999_999_999 }).map(at => ({
  input: formatCursor('tokens', PRINT, { at, id: TOKEN_ID }),
  value: { at, id: TOKEN_ID },
}))

const keyCursor: fc.Arbitrary<Good> = goodName.map(value => ({
  input: formatKeyCursor('agents', PRINT, value),
  value,
}))

const certificate = makeCertificate()
const base64 = Buffer.from(certificate.der).toString('base64')
const escaped = encodeURIComponent(certificate.cert)

const HEADERS: Readonly<Record<CertificateForm, string>> = {
  rfc9440: `:${base64}:`,
  pem: escaped,
  base64,
  xfcc: `Hash=${'a'.repeat(64)};Cert="${escaped}";Subject="CN=client,O=\\"x\\""`,
}

const requestWith = (part: Readonly<Record<string, unknown>>): FastifyRequest => part as unknown as FastifyRequest // what is read of it

const negotiate = makeNegotiator('application/json', 'application/token-introspection+jwt')

const credentialsOf = (header: string): unknown => {
  const read = readClientCredentials(parseAuthorization(header), { client_id: 'a' }, undefined)
  return isRefused(read) || read.kind === 'unsupported' ? undefined : read
}

const address = fc.ipV4()
const hops = fc.array(address, { minLength: 1, maxLength: 8 })

const forms = parsersIn('packages/verify/src/readers/form.ts')
const authorization = parsersIn('server/src/http/wire/authorization.ts')
const forwarded = parsersIn('server/src/http/wire/forwarded.ts')
const pages = parsersIn('server/src/domain/lists/page.ts')
const structures = parsersIn('server/src/domain/text/json-values.ts')

const json: fc.Arbitrary<Good> = fc.json().map(input => ({ input }))

export const WIRE_PARSERS: readonly Parser[] = [
  forms.ofText({ name: 'parsePairs', good: form }, parsePairs),
  parsersIn('server/src/http/wire/fields.ts').ofBytes({ name: 'parseBody', good: form }, parseBody),
  forms.ofText(
    { name: 'decodeFormValue', good: text.map(value => ({ input: encodeURIComponent(value), value })) },
    decodeFormValue,
  ),
  authorization.ofText(
    {
      name: 'parseAuthorization',
      good: token.map(one => ({ input: `BASIC ${one}`, value: { scheme: 'basic', credentials: one } })),
    },
    parseAuthorization,
  ),
  authorization.ofText({ name: 'decodeBasic', good: basic }, decodeBasic),
  parsersIn('server/src/http/oauth/client-credentials.ts').ofText(
    {
      name: 'readClientCredentials',
      good: token.map(secret => ({
        input: `Basic ${Buffer.from(`a:${secret}`).toString('base64')}`,
        value: { kind: 'secret', clientId: 'a', secret },
      })),
    },
    credentialsOf,
  ),
  forwarded.ofText(
    {
      name: 'hopsOfForwarded',
      good: hops.map(all => ({ input: all.map(one => `for="${one}:1"`).join(', '), value: all.toReversed() })),
    },
    header => [...hopsOfForwarded(header)],
  ),
  forwarded.ofText(
    { name: 'hopsOfForwardedFor', good: hops.map(all => ({ input: all.join(', '), value: all.toReversed() })) },
    header => [...hopsOfForwardedFor(header)],
  ),
  parsersIn('server/src/http/wire/idempotency-key.ts').ofText(
    {
      name: 'readIdempotencyKey',
      good: ascii.map(value => ({
        input: `"${value.replaceAll(/["\\]/g, '\\$&')}"`,
        value: { idempotencyKey: value },
      })),
    },
    header => readIdempotencyKey(requestWith({ headers: { 'idempotency-key': header } })),
  ),
  parsersIn('server/src/http/wire/request-rules.ts').ofText(
    { name: 'requestIdOf', good: token.map(value => ({ input: value, value })) },
    header => requestIdOf(header, () => 'another') !== 'another' && header,
  ),
  parsersIn('server/src/http/wire/fields.ts').ofText(
    { name: 'pathOf', good: token.map(value => ({ input: `/${value}?a=b`, value: `/${value}` })) },
    target => pathOf(requestWith({ url: target })),
  ),
  parsersIn('server/src/domain/text/text.ts').ofText(
    {
      name: 'parseTarget',
      good: token.map(one => ({ input: `HTTP://${one}:1?a`, value: { path: '/?a', host: `${one}:1` } })),
    },
    parseTarget,
  ),
  parsersIn('server/src/http/wire/fields.ts').ofText(
    {
      name: 'readQuery',
      good: fc.integer({ min: 1, max: 1000 }).map(limit => ({ input: `limit=${limit}`, value: { value: { limit } } })),
    },
    queryOf,
  ),
  parsersIn('server/src/http/wire/json-body.ts').ofBytes({ name: 'makeJsonReader', good: agentBody }, readAgent),
  parsersIn('server/src/domain/text/accept.ts').ofText(
    {
      name: 'makeNegotiator',
      good: fc.constant({
        input: 'text/html, application/token-introspection+jwt;q=0.9',
        value: 'application/token-introspection+jwt',
      }),
    },
    negotiate,
  ),
  parsersIn('server/src/domain/text/accept.ts').ofText(
    { name: 'takesGzip', good: fc.constant({ input: 'br, gzip;q=0.9', value: true }) },
    takesGzip,
  ),
  ...CERTIFICATE_FORMS.map(one =>
    parsersIn('server/src/http/wire/source.ts').ofText(
      {
        name: `readCertificateHeader of ${one}`,
        good: fc.constant({ input: HEADERS[one], value: certificate.thumbprint }),
      },
      header => readCertificateHeader(clientCertificates, one, header)?.thumbprint,
    ),
  ),
  parsersIn('server/src/http/wire/cookies.ts').ofText(
    {
      name: 'cookieOf',
      good: token.map(value => ({ input: `a=b; __Host-x=${value}; c="d"`, value })),
    },
    cookie => orRefused(() => cookieOf(requestWith({ headers: { cookie } }), '__Host-x')),
  ),
  pages.ofText({ name: 'parseCursor', good: cursor }, one => parseCursor('tokens', PRINT, one)),
  pages.ofText({ name: 'parseKeyCursor', good: keyCursor }, one => parseKeyCursor('agents', PRINT, one)),
  structures.ofBytes({ name: 'countValues', good: json }, countValues),
  parsersIn('server/src/domain/text/member-names.ts').ofText({ name: 'findMemberFault', good: json }, one =>
    // Only what JSON.parse accepts comes to it.
    ofJson(() => findMemberFault(one) ?? 'none')(one),
  ),
]
