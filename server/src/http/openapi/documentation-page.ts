// In this folder: the OpenAPI document, made from the rows of api/, and the pages of the service: front page, docs, error reference.
// The OpenAPI document, and its page for people at /docs, served from our own origin.
import swagger from '@fastify/swagger'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Refusal } from '../../domain/refusal.ts'
import { type Constant, constantBody, type Hash, makeVersionedBody, sendConstant } from '../wire/constant-body.ts'
import { ICON_SVG, LOGO_SVG } from './icon.ts'
import { pathOf } from '../wire/fields.ts'
import type { Refuser } from '../wire/refusals.ts'

// The page loads its parts and the document from here, and nothing from anywhere else.
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The headers of pages that run their own scripts. */
export const SCRIPTED_PAGE_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'x-content-type-options': 'nosniff',
} as const

// In place of the title, the icon and the logo that the plugin brings.
const OUR_STYLE = {
  logo: { type: 'image/svg+xml', content: LOGO_SVG },
  theme: {
    title: 'Mintmark API',
    favicon: [{ filename: 'favicon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: ICON_SVG }],
  },
}

/** The page and its parts, by path. */
type Page = ReadonlyMap<string, Constant>

/**
 * The page and its parts, as the plugin has them, asked once of an application that never listens: for every request it
 * would read a file or write a text anew. It is loaded when somebody wants the page.
 */
const renderPage = async (path: string, hash: Hash): Promise<Page> => {
  const { default: swaggerUi } = await import('@fastify/swagger-ui')
  const app = fastify()
  await app.register(swagger)
  await app.register(swaggerUi, { routePrefix: path, uiConfig: { validatorUrl: null }, ...OUR_STYLE })
  const read = async (name: string): Promise<readonly [string, Constant]> => {
    const { rawPayload, headers } = await app.inject(name)
    return [name, { body: constantBody(hash, rawPayload), type: String(headers['content-type']) }]
  }
  const { payload } = await app.inject(path)
  const parts = [...payload.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part = '']) => part)
  const page = new Map(await Promise.all([path, `${path}/`, ...new Set(parts)].map(read)))
  await app.close()
  return page
}

const NOTHING: Refusal = { code: 'not_found', description: 'There is nothing at this path.' }

type PageOptions = { readonly basePath: string; readonly hash: Hash; readonly refuser: Refuser }

/** `/openapi.json`, and the page with its parts. Each is made when somebody first asks for it, and then kept. */
export const registerDocumentation = (app: FastifyInstance, { basePath, hash, refuser }: PageOptions): void => {
  const path = `${basePath}/docs`
  let rendering: Promise<Page> | undefined
  const render = (): Promise<Page> => {
    rendering ??= renderPage(path, hash).catch((fault: unknown) => {
      // What kept it from being read may be over by the next request.
      rendering = undefined
      throw fault
    })
    return rendering
  }
  const answerDocument = (type: string, write: () => string) => {
    const versioned = makeVersionedBody(hash)
    return (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
      sendConstant(request, reply, { body: versioned('', write), type })
  }
  const answerJson = answerDocument('application/json; charset=utf-8', () => JSON.stringify(app.swagger()))
  const answerYaml = answerDocument('application/yaml; charset=utf-8', () => app.swagger({ yaml: true }))
  const answerPart = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const part = (await render()).get(pathOf(request))
    return part === undefined ? refuser.refuse(reply, NOTHING) : sendConstant(request, reply, part)
  }

  const options = { schema: { hide: true } }
  void app.register(async scope => {
    scope.get(`${basePath}/openapi.json`, options, answerJson)
  })
  void app.register(async scope => {
    scope.addHook('onSend', async (_request, reply) => {
      void reply.headers(SCRIPTED_PAGE_HEADERS)
    })
    scope.get(`${path}/json`, options, answerJson)
    scope.get(`${path}/yaml`, options, answerYaml)
    for (const name of ['', '/', '/static/:file', '/static/theme/:file']) scope.get(path + name, options, answerPart)
  })
}
