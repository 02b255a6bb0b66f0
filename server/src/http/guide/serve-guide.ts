// GET /docs/guide/ and what is below it: the documentation site, where it was built.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { folderBeside } from '../beside-program.ts'
import { type Hash, sendConstant } from '../oauth/constant-body.ts'
import { SCRIPTED_PAGE_HEADERS } from '../openapi/documentation-page.ts'
import type { Refuser } from '../wire/refusals.ts'
import { takesGzip } from '../../domain/text/accept.ts'
import { GUIDE_PATH, type Guide, openGuide } from './built-guide.ts'

type ServeOptions = {
  readonly basePath: string
  readonly hash: Hash
  readonly refuser: Refuser
  /** The folder of the site; beside the program by default. */
  readonly folder?: string | undefined
}

type Below = { readonly Params: { readonly '*'?: string } }

/** The names of these files change with their content. */
const NAMED_BY_CONTENT = 'assets/'
const ASSET_MAX_AGE_SECONDS = 365 * 86_400

export const serveGuide = (app: FastifyInstance, options: ServeOptions): void => {
  const { basePath, hash, refuser, folder = folderBeside('guide') } = options
  let opened: Guide | undefined
  // Opened when somebody first wants it; where it is missing, it is looked for again.
  const open = async (): Promise<Guide | undefined> => (opened ??= await openGuide({ basePath, hash, folder }))

  const answer = async (request: FastifyRequest<Below>, reply: FastifyReply): Promise<FastifyReply> => {
    const guide = await open()
    if (guide === undefined) {
      return refuser.refuse(reply, { code: 'not_found', description: 'This installation was made without its guide.' })
    }
    const path = request.params['*'] ?? ''
    const file = await guide.find(path === '' ? 'index.html' : path)
    if (file === undefined) return refuser.refuse(reply, { code: 'not_found', description: 'There is no such page.' })
    void reply.headers(SCRIPTED_PAGE_HEADERS).header('vary', 'Accept-Encoding').header('referrer-policy', 'no-referrer')
    if (path.startsWith(NAMED_BY_CONTENT)) {
      void reply.header('cache-control', `public, max-age=${ASSET_MAX_AGE_SECONDS}, immutable`)
    }
    if (!takesGzip(request.headers['accept-encoding'])) return sendConstant(request, reply, file.plain)
    return sendConstant(request, reply.header('content-encoding', 'gzip'), file.gzipped)
  }

  for (const path of [GUIDE_PATH.slice(0, -1), `${GUIDE_PATH}*`]) {
    app.get(basePath + path, { schema: { hide: true } }, answer)
  }
}
