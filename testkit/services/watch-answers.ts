// Watches every answer of a server under test: what the OpenAPI document does not say turns the test file red.
import { pipeline, Readable, Transform } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Description, type Document, type Problems, readDescription, type SeenAnswer } from './described.ts'

const PROBLEMS_SHOWN_MAX = 20
const STREAM_BYTES_MAX = 1_048_576

const textOf = (payload: unknown): string | undefined => {
  if (payload === undefined || payload === null) return ''
  if (typeof payload === 'string') return payload
  return Buffer.isBuffer(payload) ? payload.toString() : undefined
}

/** What passed so far, or nothing where it was more than a test should hold. */
const gatherChunks = () => {
  const chunks: Buffer[] = []
  let bytes = 0
  return {
    keep: (chunk: unknown): void => {
      if (typeof chunk !== 'string' && !Buffer.isBuffer(chunk)) return
      bytes += Buffer.byteLength(chunk)
      if (bytes <= STREAM_BYTES_MAX) chunks.push(Buffer.from(chunk))
    },
    text: () => (bytes <= STREAM_BYTES_MAX ? Buffer.concat(chunks).toString() : undefined),
  }
}

type Done = (text: string | undefined) => void

/** Returns the same stream; `done` gets what passed. */
const readAlong = (stream: Readable, done: Done): Readable => {
  const { keep, text } = gatherChunks()
  const along = new Transform({
    transform: (chunk: Buffer, _encoding, next) => {
      keep(chunk)
      next(null, chunk)
    },
    flush: next => {
      done(text())
      next()
    },
  })
  // An error ends both; the caller sees it.
  pipeline(stream, along, () => undefined)
  return along
}

type Write = (...given: readonly unknown[]) => unknown

/** `done` gets what a handler writes by itself once it has taken the answer over, or nothing where that broke off. */
const readTakenOver = (reply: FastifyReply, done: Done): void => {
  const { raw } = reply
  const { keep, text } = gatherChunks()
  for (const name of ['write', 'end'] as const) {
    const write = raw[name].bind(raw) as Write
    const keepAndWrite: Write = (...given) => {
      keep(given[0])
      return write(...given)
    }
    Object.assign(raw, { [name]: keepAndWrite })
  }
  raw.once('finish', () => done(reply.request.method === 'HEAD' ? undefined : text()))
  raw.once('close', () => {
    if (!raw.writableFinished) done(undefined)
  })
}

const headersOf = (reply: FastifyReply): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, [value].flat().join(', ')]))

const queryOf = (url: string): URLSearchParams =>
  new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')

type Watched = { readonly description: Description; readonly basePath: string; readonly body: string | undefined }

/** The descriptions by route, which differ by base path too: to read a service's document takes as long as a hundred of its responses. */
const descriptions = new Map<string, Description>()

const checkOne = (request: FastifyRequest, answer: SeenAnswer, { description, basePath, body }: Watched): Problems => {
  const { method, url = '', schema } = request.routeOptions
  const below = url.startsWith(basePath) ? url.slice(basePath.length) : url
  const path = below.replaceAll(/:(\w+)/g, '{$1}')
  const operation = description.operation([method].flat().join().toLowerCase(), path)
  if (operation === undefined) return schema?.hide === true ? [] : ['the operation is not documented']
  const problems = description.checkAnswer(operation, answer)
  if (answer.status >= 300) return problems
  const headers = request.headers as Readonly<Record<string, string | undefined>>
  const params = request.params as Readonly<Record<string, string>>
  const seen = { query: queryOf(request.url), path: params, headers, body }
  return [...problems, ...description.checkRequest(operation, seen)]
}

const checkUnknownRoute = (
  { url }: FastifyRequest,
  answer: SeenAnswer,
  { description, basePath }: Watched,
): Problems => {
  // The page sends headers of its own with all that lies below it.
  if (url.startsWith(`${basePath}/docs/`)) return []
  return description.checkRefusal(url.startsWith(`${basePath}/api/`) ? 'Problem' : 'Error', answer)
}

export type Watch = {
  /** Every route that was registered: its method, a space, and its path. */
  readonly routes: readonly string[]
  /** Fails where an answer, or a request that was taken, was not as the document describes it. */
  readonly assertDescribed: () => void
}

export type WatchOptions = {
  /** The path of the base URL; empty where that has none. */
  readonly basePath?: string
  /** Whether a problem counts, by its text. */
  readonly isProblem?: ((problem: string) => boolean) | undefined
}

/** Call it before the server is ready. */
export const watchAnswers = (app: FastifyInstance, options: WatchOptions = {}): Watch => {
  const { basePath = '', isProblem = () => true } = options
  const routes: string[] = []
  const problems = new Set<string>()
  const bodies = new WeakMap<FastifyRequest, string>()
  let own: Description | undefined
  const describe = (): Description => {
    if (own !== undefined) return own
    const key = routes.join('\n')
    own = descriptions.get(key) ?? readDescription(app.swagger() as unknown as Document)
    descriptions.set(key, own)
    return own
  }
  app.addHook('onRoute', ({ method, url }) => void routes.push(...[method].flat().map(one => `${one} ${url}`)))
  app.addHook('preValidation', (request, _reply, done) => {
    // As it was sent: the validator of the route puts what it parsed in its place.
    if (Buffer.isBuffer(request.body)) bodies.set(request, request.body.toString())
    done()
  })
  const observe = (request: FastifyRequest, reply: FastifyReply, body: string | undefined): void => {
    const answer = { status: reply.statusCode, headers: headersOf(reply), body }
    const watched = { description: describe(), basePath, body: bodies.get(request) }
    const check = request.is404 ? checkUnknownRoute : checkOne
    for (const problem of check(request, answer, watched).filter(isProblem)) {
      problems.add(`${request.method} ${request.routeOptions.url ?? request.url} ${answer.status}: ${problem}`)
    }
  }
  app.addHook('onRequest', (request, reply, next) => {
    const hijack = reply.hijack.bind(reply)
    reply.hijack = () => {
      readTakenOver(reply, body => observe(request, reply, body))
      return hijack()
    }
    next()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (payload instanceof Readable) {
      done(
        null,
        readAlong(payload, body => observe(request, reply, body)),
      )
      return
    }
    observe(request, reply, textOf(payload))
    done(null, payload)
  })
  const assertDescribed = (): void => {
    if (problems.size === 0) return
    const shown = [...problems].slice(0, PROBLEMS_SHOWN_MAX)
    throw new Error(`Not as the OpenAPI document says (${problems.size}):\n${shown.join('\n')}`)
  }
  return { routes, assertDescribed }
}
