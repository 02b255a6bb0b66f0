// GET /console and what is below it: the page of the console for each of its screens, and its assets.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { escapeUrl } from '../openapi/page.ts'
import type { Refuser } from '../wire/refusals.ts'
import { folderBeside } from '../beside-program.ts'
import { builtFiles, sendBuiltFile } from '../wire/built-files.ts'
import type { Hash } from '../wire/constant-body.ts'

type ConsoleOptions = {
  readonly basePath: string
  readonly hash: Hash
  readonly refuser: Refuser
  /** A new one for each page. */
  readonly makeNonce: () => string
}

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

const writePage = (page: string, basePath: string, nonce: string): string =>
  page.replace(
    '<head>',
    `<head>\n    <base href="${escapeUrl(basePath)}/console/">\n    <meta property="csp-nonce" nonce="${nonce}">`,
  )

export const serveConsole = (app: FastifyInstance, { basePath, hash, refuser, makeNonce }: ConsoleOptions): void => {
  const open = builtFiles({ folder: folderBeside('console'), hash })

  const answerPage = async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const page = await (await open())?.find('index.html')
    if (page === undefined) {
      return refuser.refuse(reply, {
        code: 'not_found',
        description: 'This installation was made without the console.',
      })
    }
    const nonce = makeNonce()
    return reply
      .header('content-security-policy', policyWith(nonce))
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .type(page.plain.type)
      .send(writePage(page.plain.body.bytes.toString('utf8'), basePath, nonce))
  }
  const answerAsset = async (request: FastifyRequest<{ Params: { readonly file: string } }>, reply: FastifyReply) => {
    const asset = await (await open())?.find(`assets/${request.params.file}`)
    return asset === undefined
      ? refuser.refuse(reply, { code: 'not_found', description: 'There is no such asset.' })
      : sendBuiltFile(request, reply, asset, true)
  }

  const options = { schema: { hide: true } }
  app.get(`${basePath}/console/assets/:file`, options, answerAsset)
  const pageOptions = { ...options, config: { readsOwnQuery: true } }
  for (const path of ['/console', '/console/', '/console/*']) app.get(basePath + path, pageOptions, answerPage)
}
