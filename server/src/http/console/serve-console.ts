// GET /console and what is below it: the page of the console for each of its screens, and its assets.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { escapeUrl } from '../openapi/page.ts'
import type { Refuser } from '../wire/refusals.ts'
import { takesGzip } from '../../domain/text/accept.ts'
import { type BuiltConsole, readConsole } from './built-console.ts'

type ConsoleOptions = {
  readonly basePath: string
  readonly refuser: Refuser
  /** A new one for each page. */
  readonly makeNonce: () => string
}

const ASSET_MAX_AGE_SECONDS = 365 * 86_400

// Everything comes from here. Styles that a library writes while it runs carry the nonce of their page; nothing becomes
// HTML from a string (Trusted Types).
const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

const writePage = ({ page }: BuiltConsole, basePath: string, nonce: string): string =>
  page.replace(
    '<head>',
    `<head>\n    <base href="${escapeUrl(basePath)}/console/">\n    <meta property="csp-nonce" nonce="${nonce}">`,
  )

export const serveConsole = (app: FastifyInstance, { basePath, refuser, makeNonce }: ConsoleOptions): void => {
  let read: BuiltConsole | undefined
  // Read when somebody first wants it; where it is missing, it is looked for again.
  const built = (): BuiltConsole | undefined => (read ??= readConsole())
  const refuseMissing = (reply: FastifyReply): FastifyReply =>
    refuser.refuse(reply, { code: 'not_found', description: 'This installation was made without the console.' })

  const answerPage = (_request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const found = built()
    if (found === undefined) return refuseMissing(reply)
    const nonce = makeNonce()
    return reply
      .header('content-security-policy', policyWith(nonce))
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .type('text/html; charset=utf-8')
      .send(writePage(found, basePath, nonce))
  }
  const answerAsset = (request: FastifyRequest<{ Params: { readonly file: string } }>, reply: FastifyReply) => {
    const asset = built()?.assets.get(request.params.file)
    if (asset === undefined) return refuser.refuse(reply, { code: 'not_found', description: 'There is no such asset.' })
    void reply
      .header('cache-control', `public, max-age=${ASSET_MAX_AGE_SECONDS}, immutable`)
      .header('x-content-type-options', 'nosniff')
      .header('vary', 'Accept-Encoding')
      .type(asset.type)
    if (!takesGzip(request.headers['accept-encoding'])) return reply.send(asset.bytes)
    return reply.header('content-encoding', 'gzip').send(asset.gzipped)
  }

  const options = { schema: { hide: true } }
  app.get(`${basePath}/console/assets/:file`, options, answerAsset)
  const pageOptions = { ...options, config: { readsOwnQuery: true } }
  for (const path of ['/console', '/console/', '/console/*']) app.get(basePath + path, pageOptions, answerPage)
}
