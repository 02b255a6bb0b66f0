// What holds for every request before its route is looked at: the headers of every answer, the host, the query string.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { introspectToken, issueToken, revokeToken } from '../../../../api/oauth.ts'
import { makeFindRepeated, decodeFormValue } from '../../../../packages/verify/src/readers/form.ts'
import { formatByteOrderMark, HEADER_BYTE_ORDER_MARK } from '../../domain/text/text.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { pathOf, type RawFields, QUERY_MALFORMED } from './fields.ts'
import type { Refuser } from './refusals.ts'
import type { UnknownRouteHandler } from './unknown-route.ts'

/** Query parameters, in lower case, that would carry a secret: URLs stand in logs, histories and Referer headers. */
const CREDENTIAL_NAMES = new Set([
  'access_token',
  'api_key',
  'apikey',
  'assertion',
  'authorization',
  'client_assertion',
  'client_secret',
  'id_token',
  'password',
  'refresh_token',
  'token',
  'x-api-key',
])

const FORM_NAMES = new Set(
  [issueToken, introspectToken, revokeToken].flatMap(({ form }): readonly string[] => Object.keys(form.shape)),
)

// Not one that looks like a secret of ours: request ids are logged.
const REQUEST_ID = /^(?!mm[ac]_)[A-Za-z0-9._-]{1,64}$/

/** The caller's request id where it is harmless, else a new one. */
export const requestIdOf = (header: string | string[] | undefined, makeId: () => string): string =>
  typeof header === 'string' && REQUEST_ID.test(header) ? header : makeId()

const CODING = /^[A-Za-z0-9-]{1,32}$/

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A page whose program reads the query in the browser: one that is malformed is none of the service's business. */
    readonly readsOwnQuery?: boolean
    /** It is answered as if it did not exist, where a route of many paths would take it. */
    readonly isUnknown?: boolean
  }
}

type Rules = {
  readonly refuser: Refuser
  readonly answerUnknownRoute: UnknownRouteHandler
  /** What is left of a path below the base URL starts here; empty, or with a slash. */
  readonly basePath: string
  /** The only `Host` headers that are answered, in lower case. */
  readonly allowedHosts: readonly string[] | undefined
}

// Of two such headers Node keeps the first, silently.
const findRepeated = makeFindRepeated(['authorization', 'host', 'content-type', 'x-api-key'])

/** The headers whose text is compared or verified. */
const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'dpop'] as const

const markedHeader = ({ headers }: FastifyRequest['raw']): string | undefined =>
  CREDENTIAL_HEADERS.find(name => headers[name]?.includes(HEADER_BYTE_ORDER_MARK))

const headerFault = (raw: FastifyRequest['raw']): string | undefined => {
  const repeated = findRepeated(raw)
  if (repeated !== undefined) return `The header ${repeated} is given more than once.`
  const marked = markedHeader(raw)
  return marked === undefined ? undefined : formatByteOrderMark(`The credential in the header ${marked}`)
}

/** The names in a query that is not percent-encoded UTF-8, each decoded where it can be. */
const namesInMalformed = (url: string): readonly string[] =>
  url
    .slice(url.indexOf('?') + 1)
    .split('&')
    .map(pair => pair.replace(/=.*/s, ''))
    .map(name => decodeFormValue(name) ?? name)

const firstForbidden = (request: FastifyRequest, { pairs }: RawFields, oauthPath: string): string | undefined => {
  if (pairs === undefined && request.routeOptions.config.readsOwnQuery !== true) return QUERY_MALFORMED
  const names = pairs?.map(([name]) => name) ?? namesInMalformed(request.url)
  const credential = names.find(name => CREDENTIAL_NAMES.has(name.toLowerCase()))
  if (credential !== undefined) {
    return `${credential} is in the query string: a credential or token goes into the body or a header.`
  }
  if (request.method !== 'POST' || !pathOf(request).startsWith(oauthPath)) return undefined
  const field = names.find(name => FORM_NAMES.has(name))
  return field === undefined ? undefined : `${field} is in the query string: send it in the body.`
}

/** RFC 9110 §8.4: a body in a content coding would be read as what it is not. */
const refuseCoding = ({ headers }: FastifyRequest['raw']): Refusal | undefined => {
  const coding = headers['content-encoding']
  if (coding === undefined || coding === '' || coding.toLowerCase() === 'identity') return undefined
  const named = CODING.test(coding) ? `the content coding ${coding}` : 'a content coding'
  return { code: 'unsupported_media_type', description: `The body has ${named}: send it without.` }
}

/** The hook that runs first on every request. It answers what no route should see. */
export const makeRequestRules = ({ refuser, answerUnknownRoute, basePath, allowedHosts }: Rules) => {
  const [oauthPath, tokenPath] = [`${basePath}/oauth/`, `${basePath}/oauth/token`]

  const refuseHost = (request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    const { host } = request.raw.headers
    if (host === undefined && request.raw.httpVersion === '1.1') {
      // RFC 9112 §3.2.
      return refuser.refuse(reply, { code: 'invalid_request', description: 'The request has no Host header.' })
    }
    if (allowedHosts === undefined || allowedHosts.includes(host?.toLowerCase() ?? '')) return undefined
    const description = `This service answers to ${allowedHosts.join(', ')} only.`
    return refuser.refuse(reply, { code: 'misdirected_request', description })
  }

  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    void reply.header('x-request-id', request.id).header('cache-control', 'no-store')
    if (pathOf(request) === tokenPath) void reply.header('pragma', 'no-cache')
    if (refuseHost(request, reply) !== undefined) return
    const wrong = headerFault(request.raw)
    if (wrong !== undefined) {
      void refuser.refuse(reply, { code: 'invalid_request', description: wrong })
      return
    }
    // Before its body is read: what is in it makes no difference.
    if (request.is404) {
      answerUnknownRoute(request, reply)
      return
    }
    if (request.url.includes('?')) {
      const description = firstForbidden(request, request.query as RawFields, oauthPath)
      if (description !== undefined) {
        void refuser.refuse(reply, { code: 'invalid_request', description })
        return
      }
    }
    const coded = request.method === 'GET' || request.method === 'HEAD' ? undefined : refuseCoding(request.raw)
    if (coded === undefined) done()
    else void refuser.refuse(reply.header('accept-encoding', 'identity'), coded)
  }
}
