// GET /: the addresses of the service, as JSON for a program and as a page for a browser; and the icon of its pages.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { makeNegotiator } from '../../domain/text/accept.ts'
import { type Constant, constantBody, type Hash, sendConstant } from '../wire/constant-body.ts'
import { ICON_ICO, ICON_SVG } from './icon.ts'
import { escapeUrl, PAGE_HEADERS, writePage } from './page.ts'

const ICON_MAX_AGE_SECONDS = 86_400

const METADATA = '/.well-known/oauth-authorization-server'

/** Each address below the base URL, with what a program and a person call it. */
const ADDRESSES = [
  { name: 'documentation', path: '/docs', title: 'API documentation' },
  { name: 'openapi', path: '/openapi.json', title: 'OpenAPI document' },
  { name: 'metadata', path: METADATA, title: 'Metadata of the authorization server' },
  { name: 'keys', path: '/.well-known/jwks.json', title: 'Public keys' },
  { name: 'errors', path: '/errors', title: 'Error codes' },
  { name: 'health', path: '/readyz', title: 'Health' },
] as const

const describe = (issuer: string): string => {
  const addresses = ADDRESSES.map(({ name, path }) => [name, issuer + path] as const)
  return JSON.stringify({ name: 'Mintmark', issuer, ...Object.fromEntries(addresses) })
}

const writeFrontPage = (issuer: string, basePath: string): string => {
  const base = escapeUrl(basePath)
  const links = ADDRESSES.map(
    ({ path, title }) => `<li><a href="${base}${path}">${title}</a> <code>${base}${path}</code>`,
  )
  const content = `<h1><img src="${base}/favicon.svg" width="32" height="32" alt=""> Mintmark</h1>
<p>A token service for software agents. The issuer of its tokens is <code>${escapeUrl(issuer)}</code>.
<ul>
${links.join('\n')}
</ul>`
  return writePage({ title: 'Mintmark', basePath, content })
}

const answerIcon =
  (icon: Constant) =>
  (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    sendConstant(request, reply.header('cache-control', `public, max-age=${ICON_MAX_AGE_SECONDS}`), icon)

type FrontPageOptions = { readonly basePath: string; readonly issuer: string; readonly hash: Hash }

export const registerFrontPage = (app: FastifyInstance, { basePath, issuer, hash }: FrontPageOptions): void => {
  const json: Constant = { body: constantBody(hash, describe(issuer)), type: 'application/json; charset=utf-8' }
  const page: Constant = {
    body: constantBody(hash, writeFrontPage(issuer, basePath)),
    type: 'text/html; charset=utf-8',
  }
  const mediaTypeFor = makeNegotiator('application/json', 'text/html')
  const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    void reply.header('vary', 'Accept')
    if (mediaTypeFor(request.headers.accept) === 'application/json') return sendConstant(request, reply, json)
    return sendConstant(request, reply.headers(PAGE_HEADERS), page)
  }

  const options = { schema: { hide: true } }
  for (const path of new Set([basePath || '/', `${basePath}/`])) app.get(path, options, answer)
  const svg = answerIcon({ body: constantBody(hash, ICON_SVG), type: 'image/svg+xml' })
  app.get(`${basePath}/favicon.svg`, options, svg)
  const ico = answerIcon({ body: constantBody(hash, ICON_ICO), type: 'image/x-icon' })
  // Where no page names an icon, browsers ask at the root of the host.
  for (const path of new Set(['/favicon.ico', `${basePath}/favicon.ico`])) app.get(path, options, ico)
}
