// GET /docs/guide/ and what is below it: the documentation site, where it was built by `npm run site`.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { folderBeside } from '../beside-program.ts'
import { builtFiles, sendBuiltFile } from '../wire/built-files.ts'
import type { Hash } from '../wire/constant-body.ts'
import type { Refuser } from '../wire/refusals.ts'
import { SCRIPTED_PAGE_HEADERS } from './documentation-page.ts'
import { escapeUrl } from './page.ts'

export const SITE_PATH = '/docs/guide/'

type SiteOptions = {
  readonly basePath: string
  readonly hash: Hash
  readonly refuser: Refuser
  /** The folder of the site; beside the program by default. */
  readonly folder?: string | undefined
}

type Below = { readonly Params: { readonly '*'?: string } }

/** The names of these files change with their content. */
const NAMED_BY_CONTENT = 'assets/'

/** The site is built for the path above, which stands in attributes of HTML and in strings of scripts. */
const rebase =
  (basePath: string) =>
  (text: string, extension: string): string => {
    const quoted = basePath.replaceAll("'", '%27')
    const base = extension === '.html' ? escapeUrl(quoted) : quoted
    return text.replaceAll(SITE_PATH, () => base + SITE_PATH)
  }

export const serveSite = (app: FastifyInstance, options: SiteOptions): void => {
  const { basePath, hash, refuser, folder = folderBeside('guide') } = options
  const open = builtFiles({ folder, hash, ...(basePath !== '' && { rewrite: rebase(basePath) }) })

  const answer = async (request: FastifyRequest<Below>, reply: FastifyReply): Promise<FastifyReply> => {
    const site = await open()
    if (site === undefined) {
      return refuser.refuse(reply, { code: 'not_found', description: 'This installation was made without its guide.' })
    }
    const path = request.params['*'] ?? ''
    const file = await site.find(path === '' ? 'index.html' : path)
    if (file === undefined) return refuser.refuse(reply, { code: 'not_found', description: 'There is no such page.' })
    void reply.headers(SCRIPTED_PAGE_HEADERS).header('referrer-policy', 'no-referrer')
    return sendBuiltFile(request, reply, file, path.startsWith(NAMED_BY_CONTENT))
  }

  for (const path of [SITE_PATH.slice(0, -1), `${SITE_PATH}*`]) {
    app.get(basePath + path, { schema: { hide: true } }, answer)
  }
}
