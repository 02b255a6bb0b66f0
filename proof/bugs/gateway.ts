// What lets a caller past a gateway that asks mintmark-verify serve.
import type { SeededBug } from './seeded-bug.ts'

const CHECKS = 'packages/gateway/test/check.test.ts'
const BOUND = 'packages/gateway/test/bound.test.ts'

export const GATEWAY: readonly SeededBug[] = [
  {
    name: 'gateway-query-for-flags',
    bug: 'The scopes of the query take the place of those of the flags.',
    breaks: 'the query of /check only narrows',
    file: 'packages/gateway/src/check.ts',
    from: '[...new Set([...config.scopes, ...query.scopes])]',
    to: 'query.scopes',
    test: CHECKS,
    title: 'the query of /check asks for more than the flags, and never for less',
  },
  {
    name: 'gateway-request-of-caller',
    bug: 'Where the configured headers are absent, those of another gateway count, which the caller may have sent.',
    breaks: 'a proof is compared with the request that the gateway names',
    file: 'packages/gateway/src/check.ts',
    from: "  return parseOriginalRequest(headerOf(request, method) ?? '', headerOf(request, target) ?? '')",
    to: [
      "  const other = ORIGINAL_HEADERS[requestFrom === 'x-original' ? 'x-forwarded' : 'x-original']",
      '  const read = (own: string, foreign: string) => headerOf(request, own) ?? headerOf(request, foreign) ?? String()',
      '  return parseOriginalRequest(read(method, other.method), read(target, other.target))',
    ].join('\n'),
    test: BOUND,
    title: 'a bound token passes with a proof of the original request, from the one place that is configured',
  },
  {
    name: 'gateway-first-of-two',
    bug: 'Of two headers Authorization the first one counts, and the API may read the second.',
    breaks: 'what is checked is what the API sees',
    file: 'packages/verify/src/readers/form.ts',
    from: '      if (seen.has(name)) return name',
    to: '',
    test: CHECKS,
    title: 'credentials that are not one token in one header are 401 invalid_request',
  },
  {
    name: 'gateway-absent-actor',
    bug: 'A token without an actor has no X-Auth-Actor: some gateways leave what the caller sent.',
    breaks: 'the headers of an answer overwrite those of the caller',
    file: 'packages/gateway/src/answers.ts',
    from: "    'X-Auth-Actor': claims.act === undefined ? '' : encode(claims.act.sub),",
    to: "    ...(claims.act !== undefined && { 'X-Auth-Actor': encode(claims.act.sub) }),",
    test: CHECKS,
    title: 'what a token does not say is an empty header, whatever the caller sent',
  },
  {
    name: 'gateway-raw-client',
    bug: 'The client stands in its header as it is: a comma in it makes two.',
    breaks: 'no text of a token ends a header',
    file: 'packages/gateway/src/answers.ts',
    from: 'encode(claims.client_id)',
    to: 'claims.client_id',
    test: CHECKS,
    title: 'no text of a token ends a header: it is percent-encoded, and decodes to what it was',
  },
  {
    name: 'gateway-certificate-of-anybody',
    bug: 'The header with a certificate counts from every peer.',
    breaks: 'a token that is bound to a certificate passes with the certificate of the connection alone',
    file: 'packages/gateway/src/check.ts',
    from: ' || !certificate.isTrusted(request.socket.remoteAddress)',
    to: '',
    test: BOUND,
    title: 'the header of a certificate counts from no other peer, and not where none is configured',
  },
  {
    name: 'gateway-ready-while-stale',
    bug: 'It says that it is ready beyond the staleness.',
    breaks: 'P9, a verifier says that it is stale',
    file: 'packages/gateway/src/gateway-server.ts',
    from: " && (mode === 'offline' || isFresh)",
    to: '',
    test: 'packages/gateway/test/health.test.ts',
    title: 'it is ready once the feed is confirmed, and beyond the staleness neither ready nor open',
  },
]
