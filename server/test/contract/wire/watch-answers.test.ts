// The watch over answers itself: every kind of lie to the OpenAPI document is found, and the truth is not.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { operation } from '../../../../api/operation.ts'
import { ACCESS } from '../../../../api/values/access.ts'
import { takeJson } from '../../../src/http/wire/json-body.ts'
import { routeOf } from '../../../src/http/wire/describe.ts'
import { registerOpenapi } from '../../../src/http/openapi/openapi-document.ts'
import { watchAnswers } from '../../../../testkit/services/watch-answers.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

const ANSWER = z.object({ name: z.string() })
const LINES = { content: { 'application/x-ndjson': { schema: ANSWER } } }

const ROWS = [
  operation({
    route: 'GET /read',
    id: 'read',
    summary: 'Get',
    access: 'anyone',
    answers: { 200: ANSWER, 304: z.undefined() },
  }),
  operation({ route: 'GET /lines', id: 'lines', summary: 'Get', access: 'anyone', answers: { 200: LINES } }),
  operation({
    route: 'POST /api/v1/names',
    id: 'write',
    summary: 'Write',
    access: ACCESS.writeAgents,
    body: z.looseObject({ name: z.string() }),
    answers: { 200: ANSWER },
  }),
]

/** What the watch says of one answer of `handler`, whose operation is described as one that gives a name. */
const problemsOf = async (
  handler: Handler,
  request: { readonly body?: unknown; readonly url?: string } = {},
): Promise<string> => {
  const app = fastify()
  app.setSerializerCompiler(() => answer => JSON.stringify(answer))
  registerOpenapi(app, 'http://127.0.0.1:1')
  const watch = watchAnswers(app)
  app.addHook('onRequest', async (_request, reply) => {
    void reply.header('x-request-id', 'one').header('cache-control', 'no-store')
  })
  void app.register(async scope => {
    takeJson(scope)
    for (const row of ROWS) scope.route({ ...routeOf(row), handler })
    scope.get('/hidden', { schema: { hide: true } }, handler)
  })
  const { body, url = '/read' } = request
  await app.inject(body === undefined ? { url } : { url, method: 'POST', payload: body as object })
  await app.close()
  try {
    watch.assertDescribed()
    return ''
  } catch (error) {
    return String(error)
  }
}

const send =
  (body: unknown, status = 200): Handler =>
  (_request, reply) =>
    reply.code(status).send(body)

test('what is as described passes, and so does what is not in the document on purpose', async () => {
  assert.equal(await problemsOf(send({ name: 'x' })), '')
  assert.equal(await problemsOf(send(undefined, 304)), '')
  assert.equal(await problemsOf(send({ any: 1 }), { url: '/hidden' }), '')
  assert.equal(await problemsOf(send({ name: 'x' }), { url: '/api/v1/names', body: { name: 'x' } }), '')
})

test('a member too many, a missing one and a wrong type are found', async () => {
  assert.match(await problemsOf(send({ name: 'x', secret: 'y' })), /GET \/read 200: .*additional properties \(secret\)/)
  assert.match(await problemsOf(send({})), /must have required property 'name'/)
  assert.match(await problemsOf(send({ name: 7 })), /the body\/name must be string/)
})

test('a status, a media type and a header that are not documented are found, and a header that is missing', async () => {
  assert.match(await problemsOf(send({ name: 'x' }, 418)), /the status 418 is not documented/)
  assert.match(await problemsOf((_request, reply) => reply.type('text/plain').send('x')), /the media type text\/plain/)
  const extra: Handler = (_request, reply) => reply.header('x-extra', '1').send({ name: 'x' })
  assert.match(await problemsOf(extra), /the header x-extra is not documented/)
  const less: Handler = (_request, reply) => reply.removeHeader('cache-control').send({ name: 'x' })
  assert.match(await problemsOf(less), /the header cache-control is missing/)
  const other: Handler = (_request, reply) => reply.header('cache-control', 'public').send({ name: 'x' })
  assert.match(await problemsOf(other), /the header cache-control\S* must be equal to constant/)
})

test('a refusal in another form, or without its header, is found', async () => {
  const refuse: Handler = (_request, reply) => reply.code(503).type('application/json').send({ error: 'x' })
  assert.match(
    await problemsOf(refuse, { url: '/api/v1/names', body: { name: 'x' } }),
    /the header retry-after is missing/,
  )
  assert.match(
    await problemsOf(refuse, { url: '/api/v1/names', body: { name: 'x' } }),
    /the media type application\/json/,
  )
  assert.match(
    await problemsOf(send({}), { url: '/nowhere' }),
    /404: the body must have required property 'error_description'/,
  )
})

test('a request that was taken, and is not as described, is found: its body, and a parameter', async () => {
  const names = '/api/v1/names'
  assert.match(
    await problemsOf(send({ name: 'x' }), { url: names, body: { name: 7 } }),
    /the request\/name must be string/,
  )
  const asked = { url: `${names}?colour=red`, body: { name: 'x' } }
  assert.match(await problemsOf(send({ name: 'x' }), asked), /the parameter colour was taken, and is not documented/)
})

test('of a stream of lines each is held against the schema', async () => {
  const lines =
    (...texts: readonly string[]): Handler =>
    (_request, reply) =>
      reply.type('application/x-ndjson').send(Readable.from(texts))
  assert.equal(await problemsOf(lines('{"name":"x"}\n', '{"name":"y"}\n'), { url: '/lines' }), '')
  assert.match(
    await problemsOf(lines('{"name":"x"}\n{"na', 'me":7}\n'), { url: '/lines' }),
    /a line\/name must be string/,
  )
})

test('an answer that its handler took over is held against the document too: its headers and its lines', async () => {
  const lines =
    (headers: object, ...texts: readonly string[]): Handler =>
    async (_request, reply) => {
      const all = { ...reply.getHeaders(), 'content-type': 'application/x-ndjson', ...headers }
      reply.hijack()
      for (const [name, value] of Object.entries(all)) reply.raw.setHeader(name, String(value))
      for (const text of texts) reply.raw.write(text)
      reply.raw.end()
    }
  assert.equal(await problemsOf(lines({}, '{"name":"x"}\n', '{"name":"y"}\n'), { url: '/lines' }), '')
  assert.match(
    await problemsOf(lines({}, '{"name":"x"}\n{"na', 'me":7}\n'), { url: '/lines' }),
    /a line\/name must be string/,
  )
  assert.match(await problemsOf(lines({ 'x-extra': '1' }), { url: '/lines' }), /the header x-extra is not documented/)
})
